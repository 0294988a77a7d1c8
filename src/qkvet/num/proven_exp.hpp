// Bounds of exp from the proven one of loops/: docs/oracle.md 2.3, docs/proofs. What everything that
// rounds outward stands on, oracles and bounds alike; the C library is believed nowhere.
#pragma once

#include <algorithm>
#include <qkvet/num/mag.hpp>

namespace qkvet::proven {

inline constexpr double flushed = 0x1p-1009;  ///< > exp(-700), below which the loops answer 0

/// exp(t) for t <= 0 from w, what the loops answer for it: w (1 -+ 2^-52), at most 1; of w = 0, what
/// is below exp(-700).
[[nodiscard]] inline double exp_lower(double w) {
  return w > 0 ? detail::below(w - detail::above(w * 0x1p-52)) : 0;
}
[[nodiscard]] inline double exp_upper(double w) {
  return w > 0 ? std::min(detail::above(w + detail::above(w * 0x1p-52)), 1.0) : flushed;
}

/// What the loops answer for two numbers <= 0, on the fastest path: the same bits on each.
struct Two {
  double first, second;
};
[[nodiscard]] Two exp_of(double a, double b);

}  // namespace qkvet::proven
