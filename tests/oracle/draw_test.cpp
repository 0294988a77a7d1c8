// The three rungs on what campaigns draw: every stratum, in both orders of cap and bias.
#include <gtest/gtest.h>

#include <map>
#include <qkvet/oracle/compare.hpp>
#include <qkvet/oracle/oracle.hpp>
#include <qkvet/problem/draw.hpp>
#include <string>

namespace qkvet {
namespace {

// Does the first rung hold what Arb says? Its flags must be equal, its intervals must meet Arb's,
// which are a double or two wide.
std::optional<std::string> first_against_arb(const Problem& problem, const Semantics& semantics) {
  RowEncloser first(problem, semantics, Rung::first), arb(problem, semantics, Rung::arb);
  const Shape& shape = problem.shape;
  for (std::int64_t b = 0; b < shape.B; ++b) {
    for (std::int64_t h = 0; h < shape.H_q; ++h) {
      for (std::int64_t i = 0; i < shape.L; ++i) {
        if (auto found = disagreement(arb.row(b, h, i), first.row(b, h, i))) return found;
      }
    }
  }
  return std::nullopt;
}

TEST(DrawnProblems, AreEnclosedAlikeByAllRungs) {
  Domain domain;
  domain.work_budget = 6'000;
  std::map<std::string_view, int> seen;
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    Choices choices = Choices::from_seed(mix(seed));
    const Drawn drawn = draw(choices, domain);
    Semantics semantics;
    if (seed % 3 == 0) semantics.cap_order = Semantics::CapOrder::bias_then_cap;
    const auto first = first_against_arb(drawn.problem, semantics);
    ASSERT_FALSE(first.has_value()) << "seed " << seed << ", " << drawn.stratum << ": " << *first;
    if (drawn.problem.shape.work() > 3'000) continue;
    const auto complaint = cross_check(drawn.problem, semantics);
    ASSERT_FALSE(complaint.has_value())
        << "seed " << seed << ", " << drawn.stratum << ": " << *complaint;
    ++seen[drawn.stratum];
  }
  for (const Stratum& stratum : strata()) {
    EXPECT_GT(seen[stratum.name], 0) << "never cross-checked: " << stratum.name;
  }
}

}  // namespace
}  // namespace qkvet
