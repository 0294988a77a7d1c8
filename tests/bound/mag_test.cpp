// Mag against Arb: every upper bound lies above, every lower bound below, and within a few steps.
#include <arb.h>
#include <gtest/gtest.h>

#include <cmath>
#include <qkvet/num/mag.hpp>
#include <qkvet/problem/draw.hpp>

namespace qkvet {
namespace {

/// A ball that holds f(x).
class Exact {
 public:
  Exact() { arb_init(x_); }
  ~Exact() { arb_clear(x_); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  arb_ptr get() { return x_; }
  bool at_most(double bound) {
    if (std::isinf(bound)) return bound > 0;
    Exact b;
    arb_set_d(b.get(), bound);
    return arb_le(x_, b.get()) != 0;
  }
  bool at_least(double bound) {
    Exact b;
    arb_set_d(b.get(), bound);
    return arb_ge(x_, b.get()) != 0;
  }

 private:
  arb_t x_;
};

constexpr slong precision = 1600;

void expect_close_above(Exact& exact, double bound, double x) {
  EXPECT_TRUE(exact.at_most(bound)) << x << " gives " << bound;
  if (bound < 1e-300 || std::isinf(bound)) return;
  EXPECT_TRUE(exact.at_least(bound * (1 - 0x1p-48))) << "loose at " << x;
}

TEST(Mag, ElementaryFunctionsBoundArb) {
  Choices choices = Choices::from_seed(42);
  for (int t = 0; t < 20000; ++t) {
    const double x = std::ldexp(1 + choices.unit(), static_cast<int>(choices.between(-60, 9)));
    Exact arg, y, one;
    arb_set_d(arg.get(), x);
    arb_one(one.get());
    arb_exp(y.get(), arg.get(), precision);
    expect_close_above(y, mag_exp(x).value(), x);
    arb_expm1(y.get(), arg.get(), precision);
    expect_close_above(y, mag_expm1(x).value(), x);
    arb_log1p(y.get(), arg.get(), precision);
    expect_close_above(y, mag_log1p(x).value(), x);
    arb_sqrt(y.get(), arg.get(), precision);
    expect_close_above(y, mag_sqrt(x).value(), x);
    arb_log(y.get(), arg.get(), precision);
    if (x > 1) expect_close_above(y, mag_log(x).value(), x);
    arb_neg(y.get(), y.get());
    if (x < 1) expect_close_above(y, mag_minus_log(x).value(), x);
    arb_neg(arg.get(), arg.get());
    arb_exp(y.get(), arg.get(), precision);
    EXPECT_TRUE(y.at_least(down_exp(-x))) << x;
    EXPECT_TRUE(y.at_most(mag_exp(-x).value())) << x;
    arb_sub(y.get(), one.get(), y.get(), precision);
    expect_close_above(y, mag_one_minus_exp(x).value(), x);
    arb_sech(y.get(), arg.get(), precision);
    arb_sqr(y.get(), y.get(), precision);
    EXPECT_TRUE(y.at_most(mag_sech_squared(x).value())) << x;
  }
}

TEST(Mag, SumsAndProductsNeverRoundDown) {
  Choices choices = Choices::from_seed(43);
  for (int t = 0; t < 20000; ++t) {
    const double a = std::ldexp(choices.unit(), static_cast<int>(choices.between(-560, 500)));
    const double b = std::ldexp(choices.unit(), static_cast<int>(choices.between(-560, 500)));
    Exact x, y, z;
    arb_set_d(x.get(), a);
    arb_set_d(y.get(), b);
    arb_add(z.get(), x.get(), y.get(), 2000);
    EXPECT_TRUE(z.at_most((Mag{a} + Mag{b}).value()));
    EXPECT_TRUE(z.at_least(down_add(a, b)));
    arb_mul(z.get(), x.get(), y.get(), 2000);
    EXPECT_TRUE(z.at_most((Mag{a} * Mag{b}).value()));
    EXPECT_TRUE(z.at_least(down_multiply(a, b)));
    arb_div(z.get(), x.get(), y.get(), 2000);
    if (b > 0) {
      EXPECT_TRUE(z.at_most(divide(a, b).value()));
    }
  }
}

TEST(Mag, ZeroIsExactAndInfinityStays) {
  EXPECT_TRUE((Mag{} * Mag::infinity()).is_zero());
  EXPECT_TRUE((Mag{} + Mag{}).is_zero());
  EXPECT_GT((Mag{1e-200} * Mag{1e-200}).value(), 0);
  EXPECT_FALSE((Mag::infinity() + Mag{1.0}).is_finite());
  EXPECT_FALSE(divide(Mag{1.0}, 0).is_finite());
  EXPECT_TRUE(divide(Mag{}, 0).is_zero());
  EXPECT_FALSE(gamma(Mag{0.5}).is_finite());
  EXPECT_TRUE(std::isinf(mag_minus_log(0).value()));
}

}  // namespace
}  // namespace qkvet
