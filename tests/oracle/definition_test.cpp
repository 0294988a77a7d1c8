// The definition on plain numbers and on coarse balls; the worked example that anyone can check by
// hand.
#include <gtest/gtest.h>

#include <cmath>
#include <qkvet/oracle/attention.hpp>
#include <qkvet/oracle/compare.hpp>
#include <qkvet/oracle/definition.hpp>
#include <qkvet/oracle/oracle.hpp>

#include "random_problem.hpp"

namespace qkvet {
namespace {

template <class Number>
class Definition : public testing::Test {};
using Plain = testing::Types<double, long double>;
TYPED_TEST_SUITE(Definition, Plain);

TYPED_TEST(Definition, GivesTheWorkedExample) {
  const auto row = attention<TypeParam>(test::worked_example(1), Semantics{}, {0, 0, 0});
  EXPECT_NEAR(static_cast<double>(row.scores[0]), 0, 0x1p-50);
  EXPECT_NEAR(static_cast<double>(row.scores[1]), std::log(3.0), 0x1p-50);
  EXPECT_NEAR(static_cast<double>(row.softmax.weights[0]), 0.25, 0x1p-50);
  EXPECT_NEAR(static_cast<double>(row.softmax.weights[1]), 0.75, 0x1p-50);
  EXPECT_NEAR(static_cast<double>(row.softmax.lse), std::log(4.0), 0x1p-50);
  EXPECT_NEAR(static_cast<double>(row.o[0]), 17.5, 0x1p-46);
}

TYPED_TEST(Definition, GivesTheFirstValueIfTheSecondKeyIsMasked) {
  Problem problem = test::worked_example(1);
  problem.mask.causal = true;
  const auto row = attention<TypeParam>(problem, Semantics{}, {0, 0, 0});
  ASSERT_EQ(row.keys.size(), 1U);
  EXPECT_NEAR(static_cast<double>(row.o[0]), 10, 0x1p-48);
}

TYPED_TEST(Definition, GivesTheMeanIfTheQueryIsZero) {
  const auto row = attention<TypeParam>(test::worked_example(0), Semantics{}, {0, 0, 0});
  EXPECT_NEAR(static_cast<double>(row.o[0]), 15, 0x1p-48);
}

class EveryRung : public testing::TestWithParam<Rung> {};
INSTANTIATE_TEST_SUITE_P(Rungs, EveryRung,
                         testing::Values(Rung::first, Rung::arb, Rung::definition));

TEST_P(EveryRung, EnclosesTheWorkedExampleTightly) {
  // ln 3 is not a double: the exact output differs from 17.5 by 10 (1/4) (3/4) (ln 3 - key), below
  // 2^-50. Wider than 2^-40 would be of no use to a binary64 candidate.
  const RowEnclosure row = enclose_row(test::worked_example(1), Semantics{}, GetParam(), 0, 0, 0);
  EXPECT_EQ(row.row_class, RowClass::live);
  EXPECT_TRUE(row.o[0].lo > 17.5 - 0x1p-40 && row.o[0].hi < 17.5 + 0x1p-40);
  EXPECT_TRUE(row.trace.keys[1].weight.lo > 0.75 - 0x1p-48);
  EXPECT_TRUE(row.trace.keys[1].weight.hi < 0.75 + 0x1p-48);
  EXPECT_TRUE(row.trace.lse.contains(std::log(4.0)) ||
              std::fabs(row.trace.lse.mid() - std::log(4.0)) < 0x1p-50);
}

TEST_P(EveryRung, EnclosesTheMeanOfEqualScores) {
  const RowEnclosure row = enclose_row(test::worked_example(0), Semantics{}, GetParam(), 0, 0, 0);
  EXPECT_TRUE(row.o[0].contains(15));
  EXPECT_TRUE(row.trace.keys[0].weight.contains(0.5));
  EXPECT_TRUE(row.trace.lse.lo <= std::log(2.0) && std::log(2.0) <= row.trace.lse.hi);
}

TEST_P(EveryRung, GivesTheSingleVisibleKeyItsValue) {
  Problem problem = test::worked_example(1);
  problem.mask.causal = true;
  const RowEnclosure row = enclose_row(problem, Semantics{}, GetParam(), 0, 0, 0);
  EXPECT_TRUE(row.o[0].contains(10));
  EXPECT_TRUE(row.trace.keys[0].weight.contains(1));
  EXPECT_TRUE(row.trace.keys[1].weight.hi <= 0);
  EXPECT_EQ(row.trace.n, 1);
}

TEST(CoarseDefinition, StillContainsArb) {
  // 21 bits: the balls are wide; if a radius were forgotten anywhere the truth would fall out.
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Problem problem = test::random_problem(seed, seed % 3 == 0 ? 5 : 1);
    DefinitionRung coarse(problem, Semantics{}, DefinitionRung::Digits::coarse);
    RowEncloser arb(problem, Semantics{}, Rung::arb);
    for (std::int64_t h = 0; h < problem.shape.H_q; ++h) {
      for (std::int64_t i = 0; i < problem.shape.L; ++i) {
        const auto complaint = disagreement(arb.row(0, h, i), coarse.row(0, h, i));
        ASSERT_FALSE(complaint.has_value()) << "seed " << seed << ": " << *complaint;
      }
    }
  }
}

}  // namespace
}  // namespace qkvet
