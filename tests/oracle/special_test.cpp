// Rows that are not ordinary: empty, nonfinite, sinks, infinite biases, zero extents, odd scales,
// numbers at the ends of binary64. Each claim is checked on all three rungs.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <qkvet/oracle/oracle.hpp>

#include "random_problem.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace qkvet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

bool is(const Interval& x, double value) { return x.lo >= value && x.hi <= value; }
bool unlimited(const Interval& x) {
  return is({x.lo, x.lo}, -infinity) && is({x.hi, x.hi}, infinity);
}

class Special : public testing::TestWithParam<Rung> {
 protected:
  RowEnclosure row(const Problem& problem, Semantics semantics = {}) {
    validate(problem);
    return enclose_row(problem, semantics, GetParam(), 0, 0, 0);
  }
};
INSTANTIATE_TEST_SUITE_P(Rungs, Special, testing::Values(Rung::first, Rung::arb, Rung::definition));

Problem with_sink(double logit) {
  Problem problem = test::worked_example(1);
  problem.sinks = make_tensor(Format::binary64, {1, 1, 1, 1});
  problem.sinks->set(0, 0, 0, 0, logit);
  return problem;
}

Problem with_bias(double first, double second) {
  Problem problem = test::worked_example(0);
  problem.mask.bias = make_tensor(Format::binary64, {1, 1, 1, 2});
  problem.mask.bias->set(0, 0, 0, 0, first);
  problem.mask.bias->set(0, 0, 0, 1, second);
  return problem;
}

Semantics bias_then_cap() {
  Semantics semantics;
  semantics.cap_order = Semantics::CapOrder::bias_then_cap;
  return semantics;
}

TEST_P(Special, RowWithoutKeysIsEmpty) {
  Problem problem = test::worked_example(1);
  problem.mask.key_range = KeyRange{{1}, {1}};
  const RowEnclosure got = row(problem);
  EXPECT_EQ(got.row_class, RowClass::empty);
  EXPECT_TRUE(is(got.o[0], 0));
  EXPECT_TRUE(is(got.trace.lse, -infinity));
  EXPECT_TRUE(is(got.trace.m, -infinity));
  EXPECT_EQ(got.trace.n, 0);
}

TEST_P(Special, RowWithASinkAloneIsEmptyAndItsLseIsTheSink) {
  Problem problem = with_sink(-3.25);
  problem.mask.key_range = KeyRange{{0}, {0}};
  const RowEnclosure got = row(problem);
  EXPECT_EQ(got.row_class, RowClass::empty);
  EXPECT_TRUE(is(got.o[0], 0));
  EXPECT_TRUE(is(got.trace.lse, -3.25));
  EXPECT_TRUE(is(got.trace.lse_without_sink, -infinity));
  EXPECT_EQ(got.trace.n, 1);
}

TEST_P(Special, SinkTakesItsShare) {
  // Scores 0 and 0, sink ln 2: weights 1/4, 1/4, 1/2.
  Problem problem = with_sink(std::log(2.0));
  problem.q.set(0, 0, 0, 0, 0);
  const RowEnclosure got = row(problem);
  EXPECT_NEAR(got.o[0].mid(), 7.5, 0x1p-40);
  EXPECT_NEAR(got.trace.keys.at(2).weight.mid(), 0.5, 0x1p-40);
  EXPECT_NEAR(got.trace.lse.mid(), std::log(4.0), 0x1p-40);
  EXPECT_NEAR(got.trace.lse_without_sink.mid(), std::log(2.0), 0x1p-40);
  EXPECT_EQ(got.trace.n, 3);
}

TEST_P(Special, SinkOfMinusInfinityIsNone) {
  const RowEnclosure got = row(with_sink(-infinity));
  EXPECT_EQ(got.trace.keys.size(), 2U);
  EXPECT_NEAR(got.o[0].mid(), 17.5, 0x1p-40);
}

TEST_P(Special, BiasOfMinusInfinityHides) {
  const RowEnclosure got = row(with_bias(0, -infinity));
  EXPECT_FALSE(got.trace.keys[1].visible);
  EXPECT_TRUE(got.trace.keys[1].finite);
  EXPECT_TRUE(is(got.trace.keys[1].s, -infinity));
  EXPECT_TRUE(got.o[0].contains(10));
}

TEST_P(Special, BiasOfMinusInfinityBecomesMinusCapIfTheCapComesLast) {
  Problem problem = with_bias(0, -infinity);
  problem.softcap = 1;
  const RowEnclosure got = row(problem, bias_then_cap());
  EXPECT_TRUE(got.trace.keys[1].visible);
  EXPECT_TRUE(got.trace.keys[1].s.contains(-1));
  const double p = std::exp(-1.0) / (1 + std::exp(-1.0));  // The .27 of a well-known confusion.
  EXPECT_NEAR(got.trace.keys[1].weight.mid(), p, 0x1p-40);
  problem.softcap = 0;  // Without a cap there is nothing that could bring it back.
  EXPECT_FALSE(row(problem, bias_then_cap()).trace.keys[1].visible);
}

TEST_P(Special, BiasOfPlusInfinityIsNonfinite) {
  const RowEnclosure got = row(with_bias(0, infinity));
  EXPECT_EQ(got.row_class, RowClass::nonfinite);
  EXPECT_TRUE(got.visible_inf);
  EXPECT_TRUE(unlimited(got.o[0]));
}

TEST_P(Special, VisibleNanInAKeyIsNonfinite) {
  Problem problem = test::worked_example(1);
  problem.k.set(0, 0, 1, 0, nan);
  const RowEnclosure got = row(problem);
  EXPECT_EQ(got.row_class, RowClass::nonfinite);
  EXPECT_TRUE(got.visible_nan);
  EXPECT_FALSE(got.trace.keys[1].finite);
  EXPECT_TRUE(got.trace.keys[0].finite);
  EXPECT_TRUE(unlimited(got.o[0]));
  EXPECT_TRUE(unlimited(got.trace.lse));
}

TEST_P(Special, HiddenNanInAKeyDoesNoHarm) {
  Problem problem = test::worked_example(1);
  problem.k.set(0, 0, 1, 0, nan);
  problem.mask.causal = true;
  const RowEnclosure got = row(problem);
  EXPECT_EQ(got.row_class, RowClass::live);
  EXPECT_TRUE(got.hidden_nonfinite);
  EXPECT_FALSE(got.visible_nan);
  EXPECT_TRUE(got.o[0].contains(10));
}

TEST_P(Special, NanInTheQueryIsNonfiniteUnlessNoKeyIsVisible) {
  Problem problem = test::worked_example(nan);
  EXPECT_EQ(row(problem).row_class, RowClass::nonfinite);
  EXPECT_TRUE(row(problem).visible_nan);
  problem.mask.key_range = KeyRange{{0}, {0}};
  EXPECT_EQ(row(problem).row_class, RowClass::empty);
}

TEST_P(Special, NonfiniteValuesSpoilTheirColumnOnly) {
  Problem problem = test::worked_example(1);
  problem.shape.d_v = 3;
  problem.v = make_tensor(Format::binary64, {1, 1, 2, 3});
  problem.v.set(0, 0, 0, 0, nan);
  problem.v.set(0, 0, 1, 1, -infinity);
  problem.v.set(0, 0, 0, 2, 4);
  problem.v.set(0, 0, 1, 2, 8);
  const RowEnclosure got = row(problem);
  EXPECT_EQ(got.row_class, RowClass::live);
  EXPECT_TRUE(got.columns[0].visible_nan && unlimited(got.o[0]));
  EXPECT_TRUE(got.columns[1].visible_inf && unlimited(got.o[1]));
  EXPECT_NEAR(got.o[2].mid(), 7, 0x1p-40);
  problem.mask.causal = true;
  EXPECT_TRUE(row(problem).columns[1].hidden_nonfinite);
  EXPECT_TRUE(row(problem).o[1].contains(0));
}

TEST_P(Special, ZeroExtentsAreRows) {
  Problem problem = test::worked_example(1);
  problem.shape.d_k = 0;
  problem.q = make_tensor(Format::binary64, {1, 1, 1, 0});
  problem.k = make_tensor(Format::binary64, {1, 1, 2, 0});
  problem.scale = 1;
  EXPECT_TRUE(row(problem).o[0].contains(15));  // All scores are 0.
  problem = test::worked_example(1);
  problem.shape.S = 0;
  problem.k = make_tensor(Format::binary64, {1, 1, 0, 1});
  problem.v = make_tensor(Format::binary64, {1, 1, 0, 1});
  EXPECT_EQ(row(problem).row_class, RowClass::empty);
  problem = test::worked_example(1);
  problem.shape.d_v = 0;
  problem.v = make_tensor(Format::binary64, {1, 1, 2, 0});
  EXPECT_TRUE(row(problem).o.empty());
  EXPECT_NEAR(row(problem).trace.lse.mid(), std::log(4.0), 0x1p-40);
}

TEST_P(Special, ScaleMayBeZeroNegativeOrSubnormal) {
  Problem problem = test::worked_example(1);
  problem.scale = 0;
  EXPECT_TRUE(row(problem).o[0].contains(15));
  problem.scale = -1;
  EXPECT_NEAR(row(problem).o[0].mid(), 12.5, 0x1p-40);  // Weights 3/4 and 1/4.
  problem.scale = 0x1p-1074;
  const RowEnclosure got = row(problem);
  EXPECT_TRUE(got.o[0].contains(15) || std::fabs(got.o[0].mid() - 15) < 0x1p-40);
  EXPECT_TRUE(got.trace.keys[1].x.lo > -0x1p-1060 && got.trace.keys[1].x.hi < 0x1p-1060);
}

TEST_P(Special, OverflowNeverGivesANanEnd) {
  Problem problem = test::worked_example(0x1p1023);
  problem.k.set(0, 0, 0, 0, 0x1p1023);
  problem.k.set(0, 0, 1, 0, -0x1p1023);
  const RowEnclosure got = row(problem);
  EXPECT_EQ(got.row_class, RowClass::live);
  for (const Interval& x :
       {got.o[0], got.trace.lse, got.trace.m, got.trace.keys[0].x, got.trace.keys[1].weight}) {
    EXPECT_TRUE(x.lo <= x.hi);
  }
  if (GetParam() == Rung::first) return;
  EXPECT_TRUE(got.o[0].contains(10) && got.o[0].hi < 11);
}

TEST(Exact, HugeScoresThatNearlyCancelAreDecided) {
  // s = 2^1600 (1 + 2^-1600) - 2^1600 needs 1600 bits to be seen as 1.
  Problem problem = test::worked_example(0);
  problem.shape.d_k = 3;
  problem.scale = 1;
  problem.q = make_tensor(Format::binary64, {1, 1, 1, 3});
  problem.k = make_tensor(Format::binary64, {1, 1, 2, 3});
  problem.q.set(0, 0, 0, 0, 0x1p800);
  problem.q.set(0, 0, 0, 1, 0x1p800);
  problem.q.set(0, 0, 0, 2, 1);
  problem.k.set(0, 0, 1, 0, 0x1p800);
  problem.k.set(0, 0, 1, 1, -0x1p800);
  problem.k.set(0, 0, 1, 2, 0x1.193ea7aad030bp+0);
  EXPECT_FALSE(cross_check(problem, Semantics{}).has_value());
  const RowEnclosure got = enclose_row(problem, Semantics{}, Rung::arb, 0, 0, 0);
  EXPECT_NEAR(got.o[0].mid(), 17.5, 0x1p-45);
}

TEST(Exact, CancellingValuesGiveARadiusNearZero) {
  Problem problem = test::worked_example(0);
  problem.v.set(0, 0, 0, 0, 0x1p1000);
  problem.v.set(0, 0, 1, 0, -0x1p1000);
  EXPECT_FALSE(cross_check(problem, Semantics{}).has_value());
  EXPECT_TRUE(enclose_row(problem, Semantics{}, Rung::arb, 0, 0, 0).o[0].contains(0));
}

TEST(Exact, WeightsFarBelowTheSmallestDoubleAreEnclosed) {
  for (const double score : {-800.0, -1e6, -8e8, -1e300}) {  // exp of -8e8 is 0 even in MPFR.
    const Problem problem = with_bias(0, score);
    EXPECT_FALSE(cross_check(problem, Semantics{}).has_value()) << score;
  }
}

#if defined(__x86_64__)
TEST_P(Special, FlushingLeftByForeignCodeChangesNothing) {
  Problem problem = test::worked_example(1);
  problem.v.set(0, 0, 0, 0, 0x1p-1060);
  problem.v.set(0, 0, 1, 0, 0x1p-1050);
  const RowEnclosure clean = row(problem);
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040 | 0x6000);  // Flush to zero, denormals are zero, round towards zero.
  const RowEnclosure dirty = enclose_row(problem, Semantics{}, GetParam(), 0, 0, 0);
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after & 0xe040, 0xe040U);  // The caller's modes are put back.
  EXPECT_TRUE(is({dirty.o[0].lo, dirty.o[0].lo}, clean.o[0].lo));
  EXPECT_TRUE(is({dirty.o[0].hi, dirty.o[0].hi}, clean.o[0].hi));
  EXPECT_TRUE(clean.o[0].hi > 0);
}
#endif

}  // namespace
}  // namespace qkvet
