// Rounding tests: is every number within the error of a computed one rounded to the same encoding?
#pragma once

#include <cstdint>
#include <optional>
#include <qkvet/ladder/first_rows.hpp>
#include <qkvet/num/format.hpp>

namespace qkvet::ladder {

/// The one encoding to which all of [x - error, x + error] rounds, if there is one. docs/ladder.md 4
[[nodiscard]] std::optional<std::uint64_t> round_certainly(Format format, double x, double error);

/// The constants of the vectorised test. docs/ladder.md 4
[[nodiscard]] RoundingTest rounding_test(Format format, const RowError& error);

/// The encoding of a normal number of the format: x itself has at most p bits.
[[nodiscard]] std::uint64_t encode_normal(Format format, double x);

/// Upper bound of the error of the output o of column d, summed for this column: docs/ladder.md 5.
[[nodiscard]] double sharp_error(const HeadBlocks& head, const FirstRows& rows, std::int64_t r,
                                 std::int64_t d, double o);

/// The log-sum-exp and an upper bound of its error: docs/ladder.md 5.2.
struct Bounded {
  double value, error;
};
[[nodiscard]] Bounded log_sum(const FirstRows& rows, std::int64_t r);

/// The weight of entry j and an upper bound of its error: docs/ladder.md 5.3.
[[nodiscard]] Bounded weight(const FirstRows& rows, std::int64_t r, std::int64_t j);

}  // namespace qkvet::ladder
