// Mag: a non-negative double that is only ever rounded up; and the few lower bounds that a
// denominator needs. Every result is at least (for `down_*`: at most) the exact one, without
// touching the rounding mode.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <qkvet/num/strict_math.hpp>

namespace qkvet {

namespace detail {
/// The k-th double above a non-negative x; infinity stays, NaN never enters.
inline double above(double x, std::uint64_t k = 1) {
  const auto bits = std::bit_cast<std::uint64_t>(x + 0.0) + k;  // + 0.0 makes -0 to +0
  constexpr auto infinity = std::uint64_t{0x7ff0000000000000};
  return std::bit_cast<double>(bits < infinity ? bits : infinity);
}
/// The k-th double below a non-negative x, not below 0.
inline double below(double x, std::uint64_t k = 1) {
  const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);
  return bits > k ? std::bit_cast<double>(bits - k) : 0.0;
}
}  // namespace detail

/// An upper bound of a finite non-negative real. Infinity means "no bound is known"; 0 is exact, so
/// that 0 * infinity = 0.
class Mag {
 public:
  constexpr Mag() = default;
  /// Requires x >= 0 (infinity allowed).
  constexpr Mag(double x)
      : x_(x) {}  // NOLINT(google-explicit-constructor): a double is its own bound

  [[nodiscard]] static constexpr Mag infinity() {
    return {std::numeric_limits<double>::infinity()};
  }
  [[nodiscard]] constexpr double value() const { return x_; }
  [[nodiscard]] constexpr bool is_zero() const { return !(x_ > 0); }
  [[nodiscard]] constexpr bool is_finite() const {
    return x_ <= std::numeric_limits<double>::max();
  }

  friend Mag operator+(Mag a, Mag b) {
    if (a.is_zero()) return b;
    if (b.is_zero()) return a;
    return {detail::above(a.x_ + b.x_)};
  }
  friend Mag operator*(Mag a, Mag b) {
    if (a.is_zero() || b.is_zero()) return {};
    return {detail::above(a.x_ * b.x_)};
  }
  Mag& operator+=(Mag b) { return *this = *this + b; }
  Mag& operator*=(Mag b) { return *this = *this * b; }

 private:
  double x_ = 0;
};

[[nodiscard]] inline Mag max(Mag a, Mag b) { return a.value() < b.value() ? b : a; }
[[nodiscard]] inline Mag min(Mag a, Mag b) { return b.value() < a.value() ? b : a; }

/// a / b, where `b` is a lower bound of the divisor; infinity if b is not positive.
[[nodiscard]] inline Mag divide(Mag a, double b) {
  if (a.is_zero()) return {};
  if (!(b > 0) || !a.is_finite()) return Mag::infinity();
  return {detail::above(a.value() / b)};
}
/// max(a - b, 0), where `b` is a lower bound of what is subtracted.
[[nodiscard]] inline Mag subtract(Mag a, double b) {
  if (!a.is_finite()) return a;
  if (!(a.value() > b)) return {};
  return {detail::above(a.value() - b)};
}
/// (1 + a)(1 + b) - 1.
[[nodiscard]] inline Mag compound(Mag a, Mag b) { return a + b + a * b; }
/// t / (1 - t), infinity from t = 1/2 on: Higham's gamma.
[[nodiscard]] inline Mag gamma(Mag t) {
  if (!(t.value() < 0.5)) return Mag::infinity();
  return divide(t, detail::below(1.0 - t.value()));
}

/// Upper bounds of elementary functions; glibc's documented errors, doubled (docs/bounds.md 8.2).
[[nodiscard]] Mag mag_sqrt(Mag x);
[[nodiscard]] Mag mag_exp(double x);  ///< e^x for any real upper bound x
[[nodiscard]] Mag mag_expm1(Mag x);
[[nodiscard]] Mag mag_one_minus_exp(Mag x);  ///< 1 - e^-x
[[nodiscard]] Mag mag_log(double x);         ///< max(ln x, 0) for an upper bound x
[[nodiscard]] Mag mag_log1p(Mag x);
[[nodiscard]] Mag mag_minus_log(
    double x);  ///< max(-ln x, 0) for a lower bound x; infinity if x <= 0
[[nodiscard]] Mag mag_sech_squared(
    double x);  ///< 1 / cosh^2 for a lower bound x of a non-negative real

/// Lower bounds, not below 0.
[[nodiscard]] double down_exp(double x);
[[nodiscard]] inline double down_add(double a, double b) { return detail::below(a + b); }
[[nodiscard]] inline double down_multiply(double a, double b) { return detail::below(a * b); }
/// max(a - b, 0) with an upper bound b.
[[nodiscard]] inline double down_subtract(double a, Mag b) {
  return a > b.value() ? detail::below(a - b.value()) : 0.0;
}

/// a + b rounded outward, for ends of intervals of any sign; NaN stays.
[[nodiscard]] inline double add_up(double a, double b) {
  const double sum = a + b;
  if (sum >= 0) return detail::above(sum);
  return sum < 0 ? -detail::below(-sum) : sum;
}
[[nodiscard]] inline double add_down(double a, double b) { return -add_up(-a, -b); }

}  // namespace qkvet
