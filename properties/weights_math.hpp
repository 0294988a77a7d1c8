// Interval functions of weights and log-sum-exps that relations between partial results need. All
// round outward; docs of each say on which arguments.
#pragma once

#include <qkvet/num/interval.hpp>
#include <qkvet/oracle/outward.hpp>

namespace qkvet {

/// e^x of any sign; outward::exp is for x <= 0, above it takes the reciprocal.
[[nodiscard]] inline Interval exp_any(const Interval& x) {
  const auto at = [](double y) {
    if (y <= 0) return outward::exp(outward::point(y));
    const Interval below = outward::exp(outward::point(-y));
    return Interval{outward::down(1 / below.hi), outward::up(1 / below.lo)};
  };
  if (!outward::is_bounded(x)) return {0, outward::infinity};
  return {at(x.lo).lo, at(x.hi).hi};
}

/// 1 / (1 + e^x), within [0, 1].
[[nodiscard]] inline Interval share_beside(const Interval& x) {
  const Interval e = exp_any(x);
  const double low = e.hi <= outward::largest ? outward::down(1 / outward::up(1 + e.hi)) : 0.0;
  const double high =
      e.lo <= outward::largest ? outward::up(1 / outward::down(1 + e.lo)) : 0x1p-1000;
  return {low > 0 ? low : 0.0, high < 1 ? high : 1.0};
}

/// ln(e^a + e^b): increasing in both.
[[nodiscard]] inline Interval log_add_exp(const Interval& a, const Interval& b) {
  const auto at = [](double x, double y) {
    const double top = x > y ? x : y, low = x > y ? y : x;
    const Interval rest = outward::exp(outward::sub(outward::point(low), outward::point(top)));
    return outward::add(outward::point(top), outward::log(outward::add(outward::point(1), rest)));
  };
  if (!outward::is_bounded(a) || !outward::is_bounded(b)) return {};
  return {at(a.lo, b.lo).lo, at(a.hi, b.hi).hi};
}

/// A weight: the part of x that lies in [0, 1].
[[nodiscard]] inline Interval within_one(const Interval& x) {
  return {x.lo > 0 ? x.lo : 0.0, x.hi < 1 ? x.hi : 1.0};
}

}  // namespace qkvet
