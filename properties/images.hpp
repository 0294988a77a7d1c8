// The judge `meet` for any f: what a relation makes of the outputs of other runs, as two intervals
// beside each other, one of the exact values (asked of the oracle) and one of all values that lie
// within the radius of what was seen (asked of the candidate).
#pragma once

#include <optional>
#include <qkvet/check/ledger.hpp>
#include <qkvet/num/interval.hpp>
#include <string_view>

namespace qkvet {

/// One output, or what a relation makes of several.
struct Seen {
  Interval truth;  ///< encloses the exact value
  Interval near;   ///< holds every value within the radius of what was seen
};

/// The output at `spot`; absent unless its place is `checked`, its convention is declared and the
/// output is finite (what is not finite there is refuted by `own`).
[[nodiscard]] std::optional<Seen> seen(const Spot& spot);

/// A number that is known exactly.
[[nodiscard]] inline Seen known(double x) { return {{x, x}, {x, x}}; }

/// f on both sides; f takes and gives intervals and rounds outward.
template <class F, class... S>
[[nodiscard]] Seen image(const F& f, const S&... s) {
  return {f(s.truth...), f(s.near...)};
}

/// The output at `to` must lie within its own radius of `image`. Throws OracleDisagreement if the
/// exact values contradict the relation. Nothing where the place is not `checked` or the image is
/// unbounded.
void meet_image(Ledger& ledger, const Spot& to, const Seen& image, std::string_view why);

/// The output at `to` must be the number `expected`, which the contract promises to be exact; the
/// oracle is asked through `image`. NaN is not asked.
void equal_number(Ledger& ledger, const Spot& to, double expected, const Seen& image,
                  std::string_view why);

/// The LSE at `spot` as a natural logarithm, whatever base is declared; absent as above.
[[nodiscard]] std::optional<Seen> natural_lse(const Spot& spot);

/// A natural logarithm as an LSE of the contract's base.
[[nodiscard]] Seen as_lse(const Seen& natural, const Contract& contract);

}  // namespace qkvet
