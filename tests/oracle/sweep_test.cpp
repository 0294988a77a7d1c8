// The elementary functions of the first rung swept against Arb, which is to find what their proofs
// overlook; how wide they are; and outward rounding itself.
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

TEST(OutwardExp, HoldsOnASweep) {
  test::Dice dice(1);
  const double spreads[] = {1e-9, 0.01, 1, 20, 120};
  EXPECT_EQ(fallen(outward::exp, arb_exp, points,
                   [&](int n) { return -std::fabs(dice.normal()) * spreads[n % 5]; }),
            0);
  // Down to where results are flushed.
  EXPECT_EQ(
      fallen(outward::exp, arb_exp, points, [&](int n) { return -690.0 - n * (60.0 / points); }),
      0);
}

TEST(OutwardLog, HoldsOnASweep) {
  test::Dice dice(2);
  EXPECT_EQ(fallen(outward::log, arb_log, points,
                   [&](int n) { return std::ldexp(1 + std::fabs(dice.normal()), n % 2000 - 1000); }),
            0);
  EXPECT_EQ(fallen(outward::log, arb_log, points,
                   [&](int n) { return 1 + dice.normal() * std::ldexp(1.0, -3 - n % 50); }),
            0);
}

TEST(OutwardTanh, HoldsOnASweep) {
  test::Dice dice(3);
  const double spreads[] = {1e-30, 1e-9, 1e-5, 0.01, 0.3, 1, 5, 20};
  EXPECT_EQ(fallen(outward::tanh, arb_tanh, points,
                   [&](int n) { return dice.normal() * spreads[n % 8]; }),
            0);
}

// What the proofs do not need is not granted: per end of exp 2^-52 and one and a half ulps; of log the
// same, absolute, and one and a half ulps of the result; of tanh 3.5 2^-52, or what
// lies between y - y^3/3 and y. docs/oracle.md 2.3
TEST(OutwardFunctions, AreAsNarrowAsTheirProofsMakeThem) {
  test::Dice dice(7);
  double exp_width = 0, log_width = 0, tanh_width = 0;
  for (int n = 0; n < 10'000; ++n) {
    const double x = std::fabs(dice.normal()) * std::ldexp(1.0, n % 20 - 12);
    const Interval e = outward::exp(outward::point(-std::fmin(x, 690)));
    exp_width = std::fmax(exp_width, (e.hi - e.lo) / e.lo);
    const Interval l = outward::log(outward::point(x));
    log_width = std::fmax(log_width, (l.hi - l.lo) / (2.25 + 3 * std::fabs(l.lo)));
    const Interval t = outward::tanh(outward::point(x));
    const double allowed = std::fmin(0x1p-49, x * x * x / 2 + 0x1p-50 * x);
    tanh_width = std::fmax(tanh_width, (t.hi - t.lo) / allowed);
  }
  EXPECT_LE(exp_width, 0x1.5p-50);
  EXPECT_LE(log_width, 0x1p-52);
  EXPECT_LE(tanh_width, 1);
}

TEST(OutwardSweep, WouldNoticeAFunctionThatIsOffByMoreThanItGrants) {
  const auto off = [](const Interval& x) {
    const double y = std::exp(x.lo) * (1 + 0x1p-50);
    return Interval{outward::exp_lower(y), outward::exp_upper(y) + 1};
  };
  test::Dice dice(4);
  EXPECT_EQ(fallen(off, arb_exp, 100, [&](int) { return -std::fabs(dice.normal()); }), 100);
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

// The sweeps pass as long as the exp of the loops is better than its proof; what is granted must be
// all that the proof leaves open. oracle-09 of docs/harness.md.
TEST(OutwardExp, GrantsWhatTheProofLeavesOpen) {
  for (const double w : {1.0, 0x1.fffffffffffffp-1, 0.3, 1e-8, 1e-200, 0x1p-970, 0x1.5p-1009}) {
    EXPECT_GE(w - outward::exp_lower(w), 0x1p-52 * w) << w;
    EXPECT_GE(outward::exp_upper(w), std::fmin(1.0, w + 0x1p-52 * w)) << w;
    EXPECT_LE(outward::exp_upper(w), 1) << w;
  }
  EXPECT_TRUE(outward::exp_lower(0) >= 0 && outward::exp_lower(0) <= 0);
  const Interval flushed = outward::exp(Interval{-700.5, -700.0001});
  EXPECT_TRUE(flushed.lo >= 0 && flushed.lo <= 0);
  EXPECT_TRUE(holds({0, flushed.hi}, arb_exp, -700)) << "exp(-700) bounds what is flushed";
}

}  // namespace
}  // namespace qkvet
