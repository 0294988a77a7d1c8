// What class a row is and which nonfinite inputs it meets: the reading of masks and specials shared
// by the first rung and the definition (through the problem's own `visible`). The Arb oracle has
// its own.
#pragma once

#include <cstdint>
#include <qkvet/contract/contract.hpp>
#include <qkvet/oracle/enclosure.hpp>
#include <qkvet/problem/problem.hpp>
#include <vector>

namespace qkvet {

/// Nonfinite places and magnitudes of the keys and values that one query head reads.
struct HeadFacts {
  std::vector<std::uint8_t> key_nan, key_infinite;  ///< [S]
  bool any_value_nonfinite = false;
  std::vector<double> value_max;  ///< [d_v]: the largest finite |V| of the column

  HeadFacts() = default;
  HeadFacts(const Problem& problem, std::int64_t b, std::int64_t kv_head);
};

/// True if a bias of -inf hides its key: always, unless the bias goes through a softcap.
[[nodiscard]] bool infinite_bias_hides(const Problem& problem, const Semantics& semantics);

/// A row's enclosure with everything decided that needs no arithmetic: class, flags, visibility and
/// finiteness per key, the sink's entry, n, column facts. Intervals are unlimited; those of an
/// empty row and the weights of hidden keys are set.
[[nodiscard]] RowEnclosure classify_row(const Problem& problem, const Semantics& semantics,
                                        const HeadFacts& head, std::int64_t b, std::int64_t h,
                                        std::int64_t i);

}  // namespace qkvet
