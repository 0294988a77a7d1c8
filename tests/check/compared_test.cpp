// When the two oracles are compared, and that a difference between them is never a verdict.
#include <gtest/gtest.h>

#include <qkvet/check/examine.hpp>
#include <qkvet/check/judge_own.hpp>
#include <qkvet/problem/text.hpp>

#include "../support/plain_candidate.hpp"

namespace qkvet::test {
namespace {

int compared = 0;
std::optional<std::string> agree(const Problem&, const Semantics&) {
  ++compared;
  return std::nullopt;
}
std::optional<std::string> differ(const Problem&, const Semantics&) { return "o[0] differs"; }

const Property any_property{
    "any",
    "any",
    [](const Problem&, const Contract&) -> std::optional<std::string> { return std::nullopt; },
    [](const Problem& problem, const Contract&) { return Plan{{{problem, ""}}, {}}; },
    [](const Plan&, std::span<const Exhibit> exhibits) -> Verdict {
      Ledger ledger("any");
      for (const Exhibit& exhibit : exhibits) judge_own(ledger, exhibit);
      return ledger.verdict();
    },
    {},
    nullptr,
    ""};

Problem problem_of(int q) {
  Problem p = read_case("qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/k:1,2/v:1,2", "text");
  p.q.set(0, 0, 0, 0, q);
  return p;
}

/// Comparisons among `cases` problems.
int comparisons(CrossCheck when, int cases, std::int64_t work = 100'000) {
  PlainCandidate candidate;
  compared = 0;
  for (int n = 0; n < cases; ++n) {
    ExamineOptions options{when};
    options.compare = agree;
    options.cross_check_work = work;
    (void)examine(problem_of(n), any_property, candidate, plain_contract(), options);
  }
  return compared;
}

TEST(OracleComparison, HappensWhenItIsItsTurn) {
  EXPECT_EQ(comparisons(CrossCheck::always, 10), 10);
  EXPECT_EQ(comparisons(CrossCheck::never, 10), 0);
  const int sixteenth = comparisons(CrossCheck::sixteenth, 320);
  EXPECT_GT(sixteenth, 5);
  EXPECT_LT(sixteenth, 60);
}

TEST(OracleComparison, OnlyOfSmallProblems) {
  const std::int64_t work = problem_of(1).shape.work();
  EXPECT_EQ(comparisons(CrossCheck::always, 3, work), 3);
  EXPECT_EQ(comparisons(CrossCheck::always, 3, work - 1), 0);
}

TEST(OracleComparison, ADifferenceIsAnErrorOfOurs) {
  PlainCandidate candidate;
  ExamineOptions options{CrossCheck::always};
  options.compare = differ;
  EXPECT_THROW(
      (void)examine(problem_of(1), any_property, candidate, plain_contract(), options),
      OracleDisagreement);
}

}  // namespace
}  // namespace qkvet::test
