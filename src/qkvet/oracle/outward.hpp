// Interval arithmetic on doubles in the default rounding mode: each result is rounded to nearest,
// then moved one double outward. Never a NaN end: where a bound is unknown it is infinite.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <qkvet/loops/kernels.hpp>
#include <qkvet/num/format.hpp>
#include <qkvet/num/interval.hpp>
#include <qkvet/num/proven_exp.hpp>

namespace qkvet::outward {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double largest = std::numeric_limits<double>::max();
inline constexpr double smallest =
    0x1p-1074;  // The smallest subnormal: underflow of one operation.
inline constexpr double u = 0x1p-53;

/// The next double above x; NaN gives +inf.
[[nodiscard]] inline double up(double x) {
  if (!(x < infinity)) return infinity;
  if (x <= 0 && x >= 0) return smallest;
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return std::bit_cast<double>(x > 0 ? bits + 1 : bits - 1);
}

/// The next double below x; NaN gives -inf.
[[nodiscard]] inline double down(double x) { return -up(-x); }

[[nodiscard]] inline Interval point(double x) { return {x, x}; }
[[nodiscard]] inline bool is_zero(double x) { return x <= 0 && x >= 0; }
[[nodiscard]] inline bool is_bounded(const Interval& a) {
  return a.lo >= -largest && a.hi <= largest;
}

[[nodiscard]] inline Interval add(const Interval& a, const Interval& b) {
  return {down(a.lo + b.lo), up(a.hi + b.hi)};
}
[[nodiscard]] inline Interval sub(const Interval& a, const Interval& b) {
  return {down(a.lo - b.hi), up(a.hi - b.lo)};
}

/// a * b for bounded intervals; an unbounded factor gives the whole line.
[[nodiscard]] inline Interval mul(const Interval& a, const Interval& b) {
  if (!is_bounded(a) || !is_bounded(b)) return {};
  const double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;  // no NaN
  return {down(std::min(std::min(p, q), std::min(r, s))),
          up(std::max(std::max(p, q), std::max(r, s)))};
}

/// a / b for b > 0; otherwise, or if an end is unbounded, the whole line.
[[nodiscard]] inline Interval div(const Interval& a, const Interval& b) {
  if (!is_bounded(a) || !is_bounded(b) || !(b.lo > 0)) return {};
  return {down(a.lo / (a.lo < 0 ? b.lo : b.hi)), up(a.hi / (a.hi > 0 ? b.lo : b.hi))};
}

/// x +- radius, for a radius >= 0; the whole line if x overflowed.
[[nodiscard]] inline Interval around(double x, double radius) {
  if (!(std::fabs(x) <= largest)) return {};
  if (!(radius > 0)) return point(x);
  return {down(x - radius), up(x + radius)};
}

/// gamma(n) = n u / (1 - n u), rounded up: the relative error of a product followed by n - 1 sums,
/// in any order (docs/oracle.md 2.1). Infinite if n is absurd.
[[nodiscard]] inline double gamma_up(std::int64_t n) {
  const double nu = up(static_cast<double>(n) * u);
  return nu < 0.5 ? up(nu / down(1 - nu)) : infinity;
}

/// The error of a sum of `terms` products in double, each of which meets at most `roundings` on its
/// way and underflows by at most `tiny` (docs/oracle.md 2.1).
class SumError {
 public:
  explicit SumError(std::int64_t terms, double tiny = smallest) : SumError(terms, terms, tiny) {}
  SumError(std::int64_t terms, std::int64_t roundings, double tiny)
      : gamma_(gamma_up(roundings)), underflow_(static_cast<double>(terms) * tiny) {
    factor_ = gamma_ < 1 ? up(1 / down(1 - gamma_)) : infinity;
  }
  /// Upper bound of a sum of absolute values from its value in double.
  [[nodiscard]] double absolute(double computed) const {
    return computed <= 0 ? underflow_ : up(up(computed + underflow_) * factor_);  // NaN: infinite.
  }
  /// Upper bound of the error of a sum whose terms' absolute values add up to at most `sum`.
  [[nodiscard]] double radius(double sum) const {
    return sum <= 0 ? underflow_ : up(up(gamma_ * sum) + underflow_);
  }
  [[nodiscard]] double gamma() const { return gamma_; }

 private:
  double gamma_, underflow_, factor_;
};

/// What a product of two numbers of `format` loses to underflow: nothing but in binary64, since the
/// others' products are exact doubles.
[[nodiscard]] inline double product_underflow(Format format) {
  return format == Format::binary64 ? smallest : 0;
}

// Elementary functions from the proven exp of loops/, by the path that is fastest here: the same
// bits on every path. docs/oracle.md 2.3.

using proven::exp_lower, proven::exp_upper;

/// Encloses exp of every [low[n], high[n]], n < count, a multiple of loops::lanes. Requires high <= 0.
void exp_each(const loops::Kernels& kernels, const double* low, const double* high,
              std::int64_t count, double* exp_low, double* exp_high);
/// The same of one interval.
[[nodiscard]] Interval exp(const Interval& a);
[[nodiscard]] Interval log(const Interval& a);
[[nodiscard]] Interval tanh(const Interval& a);
/// cap tanh(x / cap) for cap > 0.
[[nodiscard]] Interval capped(const Interval& x, double cap);

}  // namespace qkvet::outward
