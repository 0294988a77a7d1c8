// The acceptance rules of others on hand-made values: borders, NaN, infinities, zero norms, nothing
// at all; then on outputs beside the oracle's exact values.
#include <gtest/gtest.h>

#include <qkvet/check/comparison.hpp>
#include <qkvet/check/decide.hpp>

#include "exhibits.hpp"

namespace qkvet::test {
namespace {

using Word = Ruling::Word;

Comparison beside(std::vector<double> got, std::vector<double> exact,
                  Format format = Format::binary32) {
  Comparison c;
  c.format = format;
  for (const double x : exact) c.magnitude.push_back(std::fabs(x));
  c.got = std::move(got);
  c.exact = std::move(exact);
  c.keys = 8;
  return c;
}

Ruling rule(const char* name, const Comparison& c) { return criterion_named(name)->rule(c); }
Word says(const char* name, const Comparison& c) { return rule(name, c).word; }

TEST(Criteria, AreNamedOnceAndOursIsFirst) {
  EXPECT_EQ(criteria().front().name, "certified");
  for (const Criterion& one : criteria()) EXPECT_EQ(criterion_named(one.name), &one);
  EXPECT_EQ(criterion_named("close"), nullptr);
}

TEST(Criteria, AllcloseAcceptsItsBorderAndNothingBeyond) {
  const double allowed = 1e-8 + 1e-5 * 2;
  EXPECT_EQ(says("allclose", beside({2 - allowed * 0.999999}, {2})), Word::pass);
  EXPECT_EQ(says("allclose", beside({2 + allowed * 1.000001}, {2})), Word::fail);
  EXPECT_NEAR(rule("allclose", beside({2 + 2 * allowed}, {2})).value, 2, 1e-6);
  EXPECT_EQ(says("allclose-1e-3", beside({1.00199}, {1})), Word::pass);
  EXPECT_EQ(says("allclose-1e-3", beside({1.00201}, {1})), Word::fail);
  EXPECT_EQ(says("allclose-1e-2", beside({1.0199}, {1})), Word::pass);
  EXPECT_EQ(says("allclose-1e-2", beside({1.0201}, {1})), Word::fail);
}

TEST(Criteria, AllcloseMeasuresTheExactValueNotTheOutput) {
  // |3 - 2| <= 0.4 |2| is false, <= 0.4 |3| is true: the reference is on the right.
  const Comparison c = beside({1.0205}, {1.0});
  EXPECT_EQ(says("allclose-1e-2", c), Word::fail);
  EXPECT_EQ(says("allclose-1e-2", beside({1.0}, {1.0205})), Word::fail);
  EXPECT_EQ(says("allclose-1e-2", beside({1.0}, {1.0202})), Word::pass);
}

TEST(Criteria, AssertCloseHasTheDefaultsOfEachFormat) {
  const auto at = [](Format format, double difference) {
    Comparison c = beside({1 + difference}, {1}, format);
    return says("assert_close", c);
  };
  EXPECT_EQ(at(Format::binary64, 1.99e-7), Word::pass);
  EXPECT_EQ(at(Format::binary64, 2.01e-7), Word::fail);
  EXPECT_EQ(at(Format::binary32, 1.12e-5), Word::pass);
  EXPECT_EQ(at(Format::binary32, 1.14e-5), Word::fail);
  EXPECT_EQ(at(Format::binary16, 1.009e-3), Word::pass);
  EXPECT_EQ(at(Format::binary16, 1.011e-3), Word::fail);
  EXPECT_EQ(at(Format::bfloat16, 1.600e-2), Word::pass);
  EXPECT_EQ(at(Format::bfloat16, 1.602e-2), Word::fail);
}

TEST(Criteria, AssertCloseComparesWithTheExactValueAsTheFormatHoldsIt) {
  // 1 + 2^-8 is a tie of bf16 and is held as 1; from the exact value 1.02 would be too far.
  EXPECT_EQ(says("assert_close", beside({1}, {1 + 0x1p-8}, Format::bfloat16)), Word::pass);
  EXPECT_EQ(rule("assert_close", beside({1}, {1 + 0x1p-8}, Format::bfloat16)).value, 0);
}

TEST(Criteria, NanPassesNoneWhereANumberIsDue) {
  for (const Criterion& one : criteria()) {
    if (one.name == "certified") continue;
    Comparison c = beside({1, not_a_number}, {1, 1});
    c.twin = {1, 1.5};
    EXPECT_EQ(one.rule(c).word, Word::fail) << one.name;
  }
}

TEST(Criteria, NanWhereNanIsDueFailsAllSinceNobodySaysEqualNan) {
  for (const Criterion& one : criteria()) {
    if (one.name == "certified") continue;
    Comparison c = beside({1, not_a_number}, {1, not_a_number});
    c.twin = {1, not_a_number};
    EXPECT_EQ(one.rule(c).word, Word::fail) << one.name;
  }
}

TEST(Criteria, InfinityWhereANumberIsDueFailsAll) {
  for (const double wrong : {infinity, -infinity}) {
    for (const Criterion& one : criteria()) {
      if (one.name == "certified") continue;
      Comparison c = beside({1, wrong}, {1, 1});
      c.twin = {1, 1.5};
      EXPECT_EQ(one.rule(c).word, Word::fail) << one.name;
    }
  }
}

TEST(Criteria, EqualInfinitiesAreEqualToTheElementwiseRules) {
  const Comparison same = beside({-infinity, 1}, {-infinity, 1});
  Comparison other = beside({infinity, 1}, {-infinity, 1});
  other.magnitude = {1, 1};
  for (const char* name :
       {"allclose", "allclose-1e-3", "allclose-1e-2", "assert_close", "onednn"}) {
    EXPECT_EQ(says(name, same), Word::pass) << name;
    EXPECT_EQ(says(name, other), Word::fail) << name;
  }
  EXPECT_EQ(says("nmse", other), Word::fail);
  EXPECT_EQ(says("cosine", same), Word::fail);  // inf - inf
}

TEST(Criteria, NmseHidesWhatStandsBesideAnInfinity) {
  // The quotient is NaN then, and NaN is not above the limit: any error passes.
  EXPECT_EQ(says("nmse", beside({infinity, 100}, {infinity, 1})), Word::pass);
}

TEST(Criteria, TwiceTheTwinComparesTheLargestErrors) {
  Comparison c = beside({1.5, 2}, {1, 2});
  EXPECT_EQ(says("fa2x", c), Word::absent);
  c.twin = {1, 2.25};
  EXPECT_EQ(says("fa2x", c), Word::pass);  // .5 <= 2 * .25, wherever it is
  EXPECT_EQ(rule("fa2x", c).limit, 0.5);
  c.got[0] = 1.5 + 0x1p-23;
  EXPECT_EQ(says("fa2x", c), Word::fail);
}

TEST(Criteria, ATwinThatIsExactLeavesNoRoomToFa2xAndSomeToFa3x) {
  Comparison c = beside({1 + 0x1p-23}, {1});
  c.twin = {1};
  EXPECT_EQ(says("fa2x", c), Word::fail);
  // 1 + .3f - .3f is 1 in f32 here; 1.1 + .3f - .3f is not 1.1.
  c.exact = {1.1};
  c.twin = {c.rounded(0)};
  c.got = {c.rounded(0) + 0x1p-23};
  EXPECT_EQ(says("fa2x", c), Word::fail);
  const double once = static_cast<double>(1.1F + 0.3F - 0.3F) - static_cast<double>(1.1F);
  EXPECT_EQ(rule("fa3x", c).limit, 2 * std::fabs(once));
}

TEST(Criteria, Fa3xAllowsThriceWithASoftcap) {
  Comparison c = beside({1.75}, {1});
  c.twin = {1.25};
  EXPECT_EQ(says("fa3x", c), Word::fail);
  c.softcap = true;
  EXPECT_EQ(says("fa3x", c), Word::pass);
}

TEST(Criteria, NmseDividesByTheTestedOutput) {
  // (10 - 9.8)^2 / 10^2 = 4e-4, / 9.8^2 would be 4.2e-4.
  EXPECT_NEAR(rule("nmse", beside({10}, {9.8})).value, 4e-4, 1e-6);
  EXPECT_EQ(says("nmse", beside({10}, {9.77})), Word::fail);
}

TEST(Criteria, NmseAndCosineMissOneWrongRowInTwoThousand) {
  std::vector<double> exact(2048, 1.0), got = exact;
  got[100] = 0;
  EXPECT_EQ(says("nmse", beside(got, exact)), Word::pass);
  EXPECT_EQ(says("allclose-1e-2", beside(got, exact)), Word::fail);
}

TEST(Criteria, ZeroNorms) {
  const Comparison zeros = beside({0, 0}, {0, 0});
  EXPECT_EQ(says("nmse", zeros), Word::pass);    // 0 / 0 is NaN, not above the limit
  EXPECT_EQ(says("cosine", zeros), Word::fail);  // 1 - 0 / 1e-12 = 1
  EXPECT_EQ(says("allclose", zeros), Word::pass);
  EXPECT_EQ(says("onednn", zeros), Word::pass);
  const Comparison lost = beside({0, 0}, {1, 1});
  EXPECT_EQ(says("nmse", lost), Word::fail);  // 2 / 0
  EXPECT_EQ(says("cosine", lost), Word::fail);
  // Tiny outputs, exact: 2e-14 / 1e-12.
  EXPECT_EQ(says("cosine", beside({1e-7}, {1e-7})), Word::fail);
}

TEST(Criteria, NothingToCompare) {
  Comparison empty = beside({}, {});
  for (const char* name :
       {"allclose", "allclose-1e-3", "allclose-1e-2", "assert_close", "nmse", "onednn"}) {
    EXPECT_EQ(says(name, empty), Word::pass) << name;
  }
  EXPECT_EQ(says("cosine", empty), Word::fail);
  EXPECT_EQ(says("fa2x", empty), Word::absent);  // max() of nothing raises
  EXPECT_EQ(says("fa3x", empty), Word::absent);
}

TEST(Criteria, OnednnAllowsManyRoundingsRelativeOrOneOfTheSum) {
  Comparison c = beside({1 + 71 * 0x1p-23}, {1});
  EXPECT_EQ(says("onednn", c), Word::pass);  // 8 (1 + 8) eps
  c.got = {1 + 73 * 0x1p-23};
  EXPECT_EQ(says("onednn", c), Word::fail);
  c.magnitude = {100};
  EXPECT_EQ(says("onednn", c), Word::pass);                              // a sum that cancels
  EXPECT_EQ(says("onednn", beside({1e-5 + 1e-7}, {1e-5})), Word::pass);  // tiny: below eps of f32
}

TEST(Criteria, ZerosPassAllcloseWhereTheAverageIsSmall) {
  // 2048 random signs average to about 0.02; flash-like kernels are tested on such data.
  const Comparison c = beside({0, 0, 0}, {0.009, -0.008, 0.0095});
  EXPECT_EQ(says("allclose-1e-2", c), Word::pass);
  EXPECT_EQ(says("cosine", c), Word::fail);
}

// One query, keys of equal scores, values as given: the exact output is their mean.
PlannedRun average(std::vector<double> values) {
  PlannedRun run;
  Problem& p = run.problem;
  const auto keys = static_cast<std::int64_t>(values.size());
  p.shape = {1, 1, 1, 1, keys, 1, 1};
  p.q = make_tensor(p.format, {1, 1, 1, 1});
  p.k = make_tensor(p.format, {1, 1, keys, 1});
  p.v = make_tensor(p.format, {1, 1, keys, 1});
  for (std::int64_t j = 0; j < keys; ++j) p.v.set(0, 0, j, 0, values[static_cast<std::size_t>(j)]);
  return run;
}

Comparison compare(const PlannedRun& run, const Contract& contract, double got) {
  std::vector<Exhibit> shown{{&run, &contract, {}, {}}};
  shown[0].observation.outputs.o = make_tensor(Format::binary32, {1, 1, 1, 1});
  shown[0].observation.outputs.o.set(0, 0, 0, 0, got);
  admit_all(shown, Rung::arb);
  return compare_with_exact(shown[0], nullptr);
}

TEST(Comparison, HoldsTheExactValueTheSumOfMagnitudesAndOurVerdict) {
  const Contract contract = ContractSet{}.at(Format::binary32);
  const PlannedRun run = average({3, -1});
  const Comparison c = compare(run, contract, 1);
  ASSERT_EQ(c.got.size(), 1U);
  EXPECT_NEAR(c.exact[0], 1, 1e-15);
  EXPECT_NEAR(c.magnitude[0], 2, 1e-12);
  EXPECT_EQ(c.keys, 2);
  EXPECT_EQ(c.own, Word::pass);
  EXPECT_EQ(compare(run, contract, 1.001).own, Word::fail);
}

TEST(Comparison, LeavesOutWhatTheContractLeavesOpenAndTakesWhatIsDue) {
  Contract contract = ContractSet{}.at(Format::binary32);
  PlannedRun hidden = average({3, -1});
  hidden.problem.mask.attend = BoolMask{{1, 1, 1, 2}, {0, 0}};
  EXPECT_EQ(compare(hidden, contract, 0).left_out, 1);
  contract.semantics.empty_row = Semantics::EmptyRow::zero;
  EXPECT_EQ(compare(hidden, contract, 0).exact, std::vector<double>{0});
  contract.semantics.empty_row = Semantics::EmptyRow::mean;
  EXPECT_NEAR(compare(hidden, contract, 1).exact.at(0), 1, 1e-12);
  PlannedRun poisoned = average({3, not_a_number});
  EXPECT_EQ(compare(poisoned, contract, not_a_number).left_out, 1);
  contract.semantics.visible_nan = Semantics::VisibleNan::due;
  const Comparison nan = compare(poisoned, contract, not_a_number);
  ASSERT_EQ(nan.exact.size(), 1U);
  EXPECT_TRUE(std::isnan(nan.exact[0]));
  EXPECT_EQ(nan.own, Word::pass);
}

TEST(Comparison, ComparesWhereOverflowIsPermittedSinceNoOtherRuleKnowsOfIt) {
  const Contract contract = ContractSet{}.at(Format::binary32);
  const PlannedRun run = average({3e38, 3e38});
  const Comparison c = compare(run, contract, infinity);
  EXPECT_EQ(c.own, Word::absent);  // nothing to decide
  ASSERT_EQ(c.exact.size(), 1U);
  EXPECT_EQ(says("allclose-1e-2", c), Word::fail);
}

}  // namespace
}  // namespace qkvet::test
