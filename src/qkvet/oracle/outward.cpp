// Elementary functions from the proven exp, each with its own small proof: docs/oracle.md 2.3.
#include <algorithm>
#include <qkvet/loops/kernels.hpp>
#include <qkvet/oracle/outward.hpp>

namespace qkvet::outward {
namespace {

using proven::exp_of, proven::Two;

// What is known of ln x from a guess y and the computed e = exp(-|y|): ln x = y + ln(1 + rho),
// |rho - r| <= slack. Any y will do: a bad one only makes r large.
Interval log_near(double x, double y, double e) {
  if (x <= 1 && x >= 1) return point(0);
  if (!(std::fabs(y) <= 690)) return {};
  // x exp(-y) or x / exp(y): the product is fused, the difference is exact where it matters.
  const double r = y >= 0 ? std::fma(x, e, -1.0) : (x - e) / e;
  if (!(std::fabs(r) <= 0.125)) return {};
  const double slack = up(0x1p-52 * up(1.0625 + 2 * std::fabs(r)));
  const double least = down(r - slack), most = up(r + slack);
  const double low = down(least / (least < 0 ? down(1 + least) : up(1 + least)));
  return {down(y + low), up(y + most)};
}

// tanh y for y >= 0 lies in the result: (1 - e) / (1 + e) with e = exp(-2 y), computed as w, and
// between y - y^3 / 3 and y.
Interval tanh_near(double y, double w) {
  const double least = exp_lower(w), most = exp_upper(w);
  const double low = down(down(1 - most) / up(1 + most)), high = up(up(1 - least) / down(1 + least));
  const double cubic = up(up(up(y * y) * y) / 3);
  return {std::max({0.0, low, down(y - cubic)}), std::min({1.0, high, y})};
}

}  // namespace

void exp_each(const loops::Kernels& kernels, const double* low, const double* high,
              std::int64_t count, double* exp_low, double* exp_high) {
  kernels.exp(low, exp_low, count);
  kernels.exp(high, exp_high, count);
  for (std::int64_t n = 0; n < count; ++n) {
    exp_low[n] = low[n] < 0 ? exp_lower(exp_low[n]) : 1;
    exp_high[n] = exp_upper(exp_high[n]);
  }
}

Interval exp(const Interval& a) {
  constexpr std::size_t lanes = loops::lanes;
  const double low[lanes] = {a.lo}, high[lanes] = {a.hi};
  double exp_low[lanes], exp_high[lanes];
  exp_each(*loops::available_kernels().back(), low, high, loops::lanes, exp_low, exp_high);
  return {exp_low[0], exp_high[0]};
}

Interval log(const Interval& a) {
  if (!(a.hi > 0)) return {};
  const double low = a.lo > 0 ? std::log(a.lo) : -infinity, high = std::log(a.hi);
  const Two e = exp_of(-std::fabs(low), -std::fabs(high));
  return {log_near(a.lo, low, e.first).lo, log_near(a.hi, high, e.second).hi};
}

Interval tanh(const Interval& a) {
  const Two w = exp_of(-2 * std::fabs(a.lo), -2 * std::fabs(a.hi));
  const Interval below = tanh_near(std::fabs(a.lo), w.first);
  const Interval above = tanh_near(std::fabs(a.hi), w.second);
  return {a.lo < 0 ? -below.hi : below.lo, a.hi < 0 ? -above.lo : above.hi};
}

Interval capped(const Interval& x, double cap) {
  return mul(tanh({down(x.lo / cap), up(x.hi / cap)}), point(cap));
}

}  // namespace qkvet::outward
