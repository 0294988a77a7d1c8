// What the first rung takes on trust from the C library, swept against Arb; and outward rounding
// itself.
#include <arb.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <qkvet/oracle/outward.hpp>

#include "random_problem.hpp"

namespace qkvet {
namespace {

using outward::infinity;

using ArbFunction = void (*)(arb_t, const arb_t, slong);
using OutwardFunction = Interval (*)(const Interval&);

// Is f(x) certainly inside `claimed`? Precision is raised until Arb knows.
bool holds(const Interval& claimed, ArbFunction f, double x) {
  arb_t y, lo, hi;
  arb_init(y);
  arb_init(lo);
  arb_init(hi);
  bool result = false;
  for (slong precision = 90; precision <= 400 && !result; precision += 100) {
    arb_set_d(y, x);
    f(y, y, precision);
    arb_set_d(lo, claimed.lo);
    arb_set_d(hi, claimed.hi);
    result = arb_le(lo, y) != 0 && arb_le(y, hi) != 0;
  }
  arb_clear(y);
  arb_clear(lo);
  arb_clear(hi);
  return result;
}

// Points x(n), n < count, mapped through the function and compared; counts those that fall out.
template <class Point>
int fallen(OutwardFunction claimed, ArbFunction f, int count, Point point) {
  int bad = 0;
  for (int n = 0; n < count; ++n) {
    const double x = point(n);
    if (!holds(claimed(outward::point(x)), f, x)) ++bad;
  }
  return bad;
}

constexpr int points = 60'000;

TEST(OutwardExp, HoldsItsDeclaredErrorOnASweep) {
  test::Dice dice(1);
  const double spreads[] = {1e-9, 0.01, 1, 20, 120};
  EXPECT_EQ(
      fallen(outward::exp, arb_exp, points, [&](int n) { return dice.normal() * spreads[n % 5]; }),
      0);
  // Down to where results are subnormal, and zero.
  EXPECT_EQ(
      fallen(outward::exp, arb_exp, points, [&](int n) { return -700.0 - n * (60.0 / points); }),
      0);
}

TEST(OutwardLog, HoldsItsDeclaredErrorOnASweep) {
  test::Dice dice(2);
  EXPECT_EQ(fallen(outward::log, arb_log, points,
                   [&](int n) { return std::ldexp(1 + std::fabs(dice.normal()), n % 40); }),
            0);
  EXPECT_EQ(fallen(outward::log, arb_log, points,
                   [&](int n) { return 1 + dice.normal() * std::ldexp(1.0, -3 - n % 50); }),
            0);
}

TEST(OutwardTanh, HoldsItsDeclaredErrorOnASweep) {
  test::Dice dice(3);
  const double spreads[] = {1e-9, 0.01, 0.3, 1, 5};
  EXPECT_EQ(fallen(outward::tanh, arb_tanh, points,
                   [&](int n) { return dice.normal() * spreads[n % 5]; }),
            0);
}

TEST(OutwardSweep, WouldNoticeALibraryThatIsOffByMoreThanItDeclares) {
  const auto off = [](const Interval& x) {
    const double y = std::exp(x.lo) * (1 + 0x1p-49);
    return Interval{y * (1 - 0x1p-51), y * (1 + 0x1p-51)};
  };
  test::Dice dice(4);
  EXPECT_EQ(fallen(off, arb_exp, 100, [&](int) { return dice.normal(); }), 100);
}

TEST(Outward, UpAndDownAreTheNeighboursOfEveryDouble) {
  test::Dice dice(5);
  const double special[] = {
      0.0, -0.0, 1, -1, 0x1p-1074, -0x1p-1074, 0x1p-1022, outward::largest, -outward::largest};
  for (int n = 0; n < 10'000; ++n) {
    const double x =
        n < 9 ? special[n] : std::ldexp(dice.normal(), static_cast<int>(dice.upto(2000)) - 1000);
    EXPECT_EQ(outward::up(x), std::nextafter(x, infinity));
    EXPECT_EQ(outward::down(x), std::nextafter(x, -infinity));
  }
}

TEST(Outward, UnknownValuesGiveUnlimitedEnds) {
  const double nan = std::nan("");
  EXPECT_EQ(outward::up(nan), infinity);
  EXPECT_EQ(outward::down(nan), -infinity);
  const Interval product = outward::mul(Interval{}, outward::point(0));
  EXPECT_TRUE(product.lo <= -infinity && product.hi >= infinity);
  const Interval quotient = outward::div(outward::point(1), Interval{-1, 1});
  EXPECT_TRUE(quotient.lo <= -infinity && quotient.hi >= infinity);
}

TEST(Outward, ProductsAndQuotientsEncloseTheExactOnes) {
  test::Dice dice(6);
  for (int n = 0; n < 20'000; ++n) {
    const double a = dice.normal(), b = dice.normal(), c = dice.normal(), d = dice.normal();
    const Interval x{std::fmin(a, b), std::fmax(a, b)}, y{std::fmin(c, d), std::fmax(c, d)};
    // One point of each: the ends are what can go wrong, and a long double shows their products
    // exactly enough to see a wrong sign case.
    const Interval p = outward::mul(x, y);
    for (const double s : {x.lo, x.hi}) {
      for (const double t : {y.lo, y.hi}) {
        EXPECT_TRUE(p.lo <= s * t && s * t <= p.hi);
        const Interval divisor{std::fabs(t), std::fabs(t)};
        const Interval quotient = outward::div(outward::point(s), divisor);
        EXPECT_TRUE(quotient.lo <= s / std::fabs(t) && s / std::fabs(t) <= quotient.hi);
      }
    }
  }
}

// The sweeps pass as long as this C library is better than it declares; what is granted must be the
// declared two ulps, for results of every size. oracle-09 of docs/harness.md.
TEST(OutwardExp, GrantsTwoUlpsEachWay) {
  for (const double x : {-730.0, -700.0, -650.0, -20.0, -1.0, 1.0, 20.0, 700.0}) {
    const double y = std::exp(x);
    const Interval granted = outward::exp(outward::point(x));
    const double two_ulps = std::fmax(2 * 0x1p-52 * y, 2 * 0x1p-1074);
    EXPECT_GE(granted.hi - y, two_ulps) << x;
    EXPECT_GE(y - granted.lo, two_ulps) << x;
  }
}

}  // namespace
}  // namespace qkvet
