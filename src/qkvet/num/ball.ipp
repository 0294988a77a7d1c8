// A Ball over Boost.Multiprecision and MPFR: a midpoint, and a radius to which every operation adds
// its own rounding. The only file with Boost in it; include it in sources, never in a header
// (compile time).
#pragma once

#include <boost/multiprecision/mpfr.hpp>
#include <cstdint>
#include <limits>
#include <qkvet/num/ball_radius.hpp>
#include <qkvet/num/interval.hpp>

namespace qkvet {

/// Encloses a real number: |x - midpoint| <= radius. Digits: decimal digits of the midpoint. The
/// radius is infinite where nothing is known (division by a ball that holds 0, logarithm of one
/// that is not positive). Error: docs/oracle.md 4, one line per operation.
template <int Digits>
class Ball {
 public:
  using Number = boost::multiprecision::number<
      boost::multiprecision::mpfr_float_backend<Digits, boost::multiprecision::allocate_stack>,
      boost::multiprecision::et_off>;

  Ball() : midpoint_(0) {}
  explicit Ball(double x) : midpoint_(x) { settle(!same(midpoint_, x)); }
  explicit Ball(std::int64_t n) : midpoint_(n) { settle(true); }
  Ball(const Number& midpoint, const BallRadius& radius) : midpoint_(midpoint), radius_(radius) {}

  [[nodiscard]] const Number& midpoint() const { return midpoint_; }
  [[nodiscard]] const BallRadius& radius() const { return radius_; }

  /// The smallest interval of doubles that holds the ball.
  [[nodiscard]] Interval outward() const;

  friend Ball operator-(const Ball& a) { return Ball(Number(-a.midpoint_), a.radius_); }
  friend Ball operator+(const Ball& a, const Ball& b) {
    Ball sum(Number(a.midpoint_ + b.midpoint_), a.radius_ + b.radius_);
    sum.settle(!(sum.midpoint_.is_zero() && a.midpoint_ == Number(-b.midpoint_)));
    return sum;
  }
  friend Ball operator-(const Ball& a, const Ball& b) { return a + -b; }
  friend Ball operator*(const Ball& a, const Ball& b) {
    // |ab - AB| <= |a| rb + |b| ra + ra rb
    Ball product(
        Number(a.midpoint_ * b.midpoint_),
        upper(a.midpoint_) * b.radius_ + upper(b.midpoint_) * a.radius_ + a.radius_ * b.radius_);
    product.settle(!a.midpoint_.is_zero() && !b.midpoint_.is_zero());
    return product;
  }
  friend Ball operator/(const Ball& a, const Ball& b) {
    // |a/b - A/B| <= (|a| rb + |b| ra) / (|b| (|b| - rb))
    const BallRadius least = minus_lower(lower(b.midpoint_), b.radius_);
    if (least.is_zero()) return unknown();
    Ball quotient(Number(a.midpoint_ / b.midpoint_),
                  (upper(a.midpoint_) * b.radius_ + upper(b.midpoint_) * a.radius_) /
                      times_lower(lower(b.midpoint_), least));
    quotient.settle(!a.midpoint_.is_zero());
    return quotient;
  }
  Ball& operator+=(const Ball& b) { return *this = *this + b; }
  Ball& operator*=(const Ball& b) { return *this = *this * b; }

  friend Ball abs(const Ball& a) { return a.midpoint_ < 0 ? -a : a; }
  /// The larger: the maximum moves by no more than the larger of the two radii.
  friend Ball max(const Ball& a, const Ball& b) {
    return Ball(a.midpoint_ < b.midpoint_ ? b.midpoint_ : a.midpoint_,
                a.radius_ < b.radius_ ? b.radius_ : a.radius_);
  }
  friend Ball sqrt(const Ball& a) {
    // |sqrt A - sqrt a| = |A - a| / (sqrt A + sqrt a) <= r / sqrt a
    if (!(a.midpoint_ > 0)) return unknown();
    Ball root(Number(boost::multiprecision::sqrt(a.midpoint_)), {});
    root.radius_ = a.radius_.is_zero() ? BallRadius{} : a.radius_ / lower(root.midpoint_);
    root.settle(true);
    return root;
  }
  friend Ball exp(const Ball& a) { return exponential(a); }
  friend Ball log(const Ball& a) {
    // |ln A - ln a| <= r / (a - r)
    if (!(a.midpoint_ > 0)) return unknown();
    const BallRadius least = minus_lower(lower(a.midpoint_), a.radius_);
    if (least.is_zero()) return unknown();
    Ball result(Number(boost::multiprecision::log(a.midpoint_)), a.radius_ / least);
    result.settle(!result.midpoint_.is_zero());
    return result;
  }
  friend Ball tanh(const Ball& a) {
    // Slope at most 1, range within (-1, 1).
    const BallRadius two = BallRadius::power_of_two(1);
    Ball result(Number(boost::multiprecision::tanh(a.midpoint_)),
                two < a.radius_ ? two : a.radius_);
    result.settle(!a.midpoint_.is_zero());
    return result;
  }

 private:
  [[nodiscard]] static Ball unknown() { return Ball(Number(0), BallRadius::infinity()); }
  [[nodiscard]] static bool same(const Number& x, double y) {
    return mpfr_cmp_d(x.backend().data(), y) == 0;
  }
  /// Bounds of |x| with 32 bits.
  [[nodiscard]] static BallRadius upper(const Number& x) { return magnitude(x, MPFR_RNDA); }
  [[nodiscard]] static BallRadius lower(const Number& x) { return magnitude(x, MPFR_RNDZ); }
  [[nodiscard]] static BallRadius magnitude(const Number& x, mpfr_rnd_t rounding);
  [[nodiscard]] static Ball exponential(const Ball& a);
  /// Adds the rounding of the operation that made the midpoint, unless it was exact: half a unit in
  /// the last place, or the smallest positive number where the result underflowed to 0.
  void settle(bool rounded);

  Number midpoint_;
  BallRadius radius_;
};

template <int Digits>
BallRadius Ball<Digits>::magnitude(const Number& x, mpfr_rnd_t rounding) {
  if (x.is_zero()) return {};
  long exponent = 0;
  const double mantissa = mpfr_get_d_2exp(&exponent, x.backend().data(), rounding);  // In [1/2, 1].
  const double scaled = (mantissa < 0 ? -mantissa : mantissa) * 0x1p53;              // An integer.
  return BallRadius::normalised(static_cast<std::uint64_t>(scaled), exponent - 53,
                                rounding == MPFR_RNDA);
}

template <int Digits>
void Ball<Digits>::settle(bool rounded) {
  const mpfr_srcptr x = midpoint_.backend().data();
  if (mpfr_number_p(x) == 0) {
    *this = unknown();
  } else if (rounded && (mpfr_zero_p(x) != 0 || mpfr_get_exp(x) <= mpfr_get_emin())) {
    radius_ = radius_ + BallRadius::power_of_two(mpfr_get_emin());  // 0 or the smallest number.
  } else if (rounded) {
    radius_ = radius_ + BallRadius::power_of_two(mpfr_get_exp(x) - mpfr_get_prec(x) - 1);
  }
}

template <int Digits>
Ball<Digits> Ball<Digits>::exponential(const Ball& a) {
  if (a.radius_.is_infinite()) return unknown();
  Ball result(Number(boost::multiprecision::exp(a.midpoint_)), {});
  result.settle(!a.midpoint_.is_zero());
  if (result.radius_.is_infinite()) return result;
  const BallRadius& r = a.radius_;
  if (!(BallRadius::power_of_two(0) < r)) {
    // |e^A - e^a| <= e^a (e^r - 1) <= e^a (r + r^2) for r <= 1
    result.radius_ = result.radius_ + (upper(result.midpoint_) + result.radius_) * (r + r * r);
    return result;
  }
  // 0 < e^A <= e^(a + r): both the value and its image lie there.
  Number top(0);
  mpfr_ptr end = top.backend().data();
  mpfr_set_ui_2exp(end, static_cast<unsigned long>(r.mantissa), r.exponent, MPFR_RNDU);
  mpfr_add(end, end, a.midpoint_.backend().data(), MPFR_RNDU);
  mpfr_exp(end, end, MPFR_RNDU);
  if (mpfr_number_p(end) == 0) return unknown();
  result.radius_ = upper(top) + result.radius_;
  return result;
}

template <int Digits>
Interval Ball<Digits>::outward() const {
  if (radius_.is_infinite()) return {};
  mpfr_t end, radius;
  mpfr_init2(end, mpfr_get_prec(midpoint_.backend().data()) + 64);
  mpfr_init2(radius, 64);
  mpfr_set_ui_2exp(radius, static_cast<unsigned long>(radius_.mantissa), radius_.exponent,
                   MPFR_RNDU);
  Interval result;
  mpfr_sub(end, midpoint_.backend().data(), radius, MPFR_RNDD);
  result.lo = mpfr_get_d(end, MPFR_RNDD);
  mpfr_add(end, midpoint_.backend().data(), radius, MPFR_RNDU);
  result.hi = mpfr_get_d(end, MPFR_RNDU);
  mpfr_clear(end);
  mpfr_clear(radius);
  return result;
}

}  // namespace qkvet
