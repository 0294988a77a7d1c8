// The interval functions of partial results and the judge of images, at their borders.
#include <gtest/gtest.h>

#include <cmath>
#include <qkvet/check/examine.hpp>

#include "../check/exhibits.hpp"
#include "properties/images.hpp"
#include "properties/weights_math.hpp"

namespace qkvet::test {
namespace {

bool holds(const Interval& x, long double value) {
  return static_cast<long double>(x.lo) <= value && value <= static_cast<long double>(x.hi);
}

bool is_narrow(const Interval& x) { return x.hi - x.lo <= 0x1p-40 * std::fabs(x.hi); }

TEST(ExpAny, EnclosesBothSigns) {
  for (const double x : {-700.0, -1.5, -0x1p-60, 0.0, 0x1p-60, 1.0, 88.7, 700.0}) {
    const Interval e = exp_any({x, x});
    EXPECT_TRUE(holds(e, std::exp(static_cast<long double>(x)))) << x;
    EXPECT_TRUE(is_narrow(e)) << x;
  }
  const Interval wide = exp_any({-1, 2});
  EXPECT_TRUE(holds(wide, std::exp(-1.0L)));
  EXPECT_TRUE(holds(wide, std::exp(2.0L)));
}

TEST(ExpAny, KnowsNothingOfWhatIsUnbounded) {
  const Interval e = exp_any({0, outward::infinity});
  EXPECT_EQ(e.lo, 0);
  EXPECT_EQ(e.hi, outward::infinity);
  EXPECT_GE(exp_any({800, 800}).hi, outward::largest);
}

TEST(ShareBeside, EnclosesTheShareAndStaysWithinOne) {
  for (const double x : {-900.0, -40.0, -1.0, 0.0, 0.5, 40.0, 700.0}) {
    const Interval share = share_beside({x, x});
    EXPECT_TRUE(holds(share, 1 / (1 + std::exp(static_cast<long double>(x))))) << x;
    EXPECT_GE(share.lo, 0);
    EXPECT_LE(share.hi, 1);
  }
  EXPECT_TRUE(is_narrow(share_beside({0.5, 0.5})));
  const Interval any = share_beside({-outward::infinity, outward::infinity});
  EXPECT_LE(any.lo, 0);
  EXPECT_GE(any.hi, 1);
  // Beyond the range of exp a share is small, and not taken for 0.
  EXPECT_GT(share_beside({1000, 1000}).hi, 0);
}

TEST(LogAddExp, EnclosesTheSum) {
  for (const double a : {-1000.0, -2.0, 0.0, 3.0, 500.0}) {
    for (const double b : {-1000.0, -2.5, 0.0, 3.0, 501.0}) {
      const Interval sum = log_add_exp({a, a}, {b, b});
      const auto top = static_cast<long double>(std::fmax(a, b));
      const auto low = static_cast<long double>(std::fmin(a, b));
      EXPECT_TRUE(holds(sum, top + std::log1p(std::exp(low - top)))) << a << " " << b;
    }
  }
  EXPECT_TRUE(is_narrow(log_add_exp({3, 3}, {2, 2})));
  EXPECT_FALSE(outward::is_bounded(log_add_exp({0, outward::infinity}, {0, 0})));
}

TEST(WithinOne, IsThePartThatAWeightCanBe) {
  const Interval w = within_one({-0.25, 1.5});
  EXPECT_EQ(w.lo, 0);
  EXPECT_EQ(w.hi, 1);
  EXPECT_EQ(within_one({0.25, 0.5}).hi, 0.5);
}

constexpr double ulp = 0x1p-23;  // of f32 in [1, 2)

Verdict images(OneRow& row, const Seen& image) {
  Ledger ledger("test");
  meet_image(ledger, {&row.exhibit(), {0, 0, 0, 0}}, image, "why");
  return ledger.verdict();
}

bool fails(const Verdict& verdict) { return std::holds_alternative<Fail>(verdict); }

TEST(MeetImage, AcceptsAtTheSumOfBothRadiiAndRejectsBeyond) {
  const Seen image{{1, 1}, {1 - 8 * ulp, 1 + 8 * ulp}};
  OneRow at({checked(1, 4 * ulp)}, {1 + 12 * ulp});
  OneRow beyond({checked(1, 4 * ulp)}, {1 + 13 * ulp});
  OneRow below({checked(1, 4 * ulp)}, {1 - 13 * ulp});
  EXPECT_FALSE(fails(images(at, image)));
  EXPECT_TRUE(fails(images(beyond, image)));
  EXPECT_TRUE(fails(images(below, image)));
}

TEST(MeetImage, AsksTheOracleFirst) {
  OneRow row({checked(1, 0.5)}, {1});
  EXPECT_THROW((void)images(row, {{2, 2}, {0, 3}}), OracleDisagreement);
  EXPECT_NO_THROW((void)images(row, {{1, 2}, {0, 3}}));
}

TEST(MeetImage, SaysNothingOfOpenPlacesAndUnboundedImages) {
  OneRow open({exempt()}, {100});
  EXPECT_FALSE(fails(images(open, {{1, 1}, {1, 1}})));
  OneRow row({checked(1, 0.5)}, {100});
  EXPECT_FALSE(fails(images(row, {{0, 2}, {-outward::infinity, outward::infinity}})));
  OneRow nan({checked(1, 0.5)}, {not_a_number});
  EXPECT_TRUE(fails(images(nan, {{1, 1}, {0, 2}})));
}

TEST(EqualNumber, TakesNothingElse) {
  const auto verdict = [](double got, double expected) {
    OneRow row({checked(1, 0.5)}, {got});
    Ledger ledger("test");
    equal_number(ledger, {&row.exhibit(), {0, 0, 0, 0}}, expected, known(1), "why");
    return ledger.verdict();
  };
  EXPECT_FALSE(fails(verdict(1, 1)));
  EXPECT_TRUE(fails(verdict(1 + ulp, 1)));
  EXPECT_FALSE(fails(verdict(not_a_number, 1)));  // refuted by `own`
}

TEST(SeenOutputs, AreThoseOfCheckedPlacesThatAreFinite) {
  OneRow row({checked(1, 0.25), exempt(), checked(1, 0.25)}, {1.125, 1, infinity});
  const auto first = seen({&row.exhibit(), {0, 0, 0, 0}});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->truth.lo, 1);
  EXPECT_LE(first->near.lo, 0.875);
  EXPECT_GE(first->near.hi, 1.375);
  EXPECT_FALSE(seen({&row.exhibit(), {0, 0, 0, 1}}));
  EXPECT_FALSE(seen({&row.exhibit(), {0, 0, 0, 2}}));
}

TEST(Lse, IsNaturalWhateverItsBase) {
  Contract two, e;
  two.semantics.lse_base = Semantics::LseBase::two;
  e.semantics.lse_base = Semantics::LseBase::e;
  const Seen natural = known(1);
  EXPECT_TRUE(holds(as_lse(natural, two).truth, 1.4426950408889634074L));
  EXPECT_EQ(as_lse(natural, e).truth.lo, 1);
}

}  // namespace
}  // namespace qkvet::test
