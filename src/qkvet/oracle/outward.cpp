// Elementary functions with declared errors of the C library; apart from the header so that one
// compiled copy is what the sweep tests.
#include <algorithm>
#include <qkvet/oracle/outward.hpp>

namespace qkvet::outward {
namespace {

// One ulp of y is at most 2^-52 |y|, or 2^-1074 below the normal range: `ulps` of them, rounded up.
double slack(double y, double ulps) {
  const double size = std::fabs(y);
  if (size > 0x1p-900) return ulps * (size * 0x1p-52);  // Exact, and no slow subnormal.
  return up(ulps * up(size * 0x1p-52) + ulps * smallest);
}

double exp_up(double x) {
  const double y = std::exp(x);
  const double bound = up(y + slack(y, 2));
  return x <= 0 ? std::min(bound, 1.0) : bound;
}

double exp_down(double x) {
  const double y = std::exp(x);
  if (!(y <= largest)) return x >= infinity ? infinity : largest;
  const double bound = std::max(0.0, down(y - slack(y, 2)));
  return x >= 0 ? std::max(bound, 1.0) : bound;
}

double tanh_up(double x) {
  const double y = std::tanh(x);
  return is_zero(x) ? 0 : std::min(up(y + slack(y, 4)), x < 0 ? 0.0 : 1.0);
}

}  // namespace

Interval exp(const Interval& a) { return {exp_down(a.lo), exp_up(a.hi)}; }

Interval log(const Interval& a) {
  Interval result;
  if (a.lo > 0) {
    const double y = std::log(a.lo);
    result.lo = a.lo <= 1 && a.lo >= 1 ? 0 : down(y - slack(y, 2));
  }
  if (a.hi < infinity) {
    const double y = std::log(a.hi);
    result.hi = a.hi <= 1 && a.hi >= 1 ? 0 : up(y + slack(y, 2));
  }
  return result;
}

Interval tanh(const Interval& a) { return {-tanh_up(-a.lo), tanh_up(a.hi)}; }

}  // namespace qkvet::outward
