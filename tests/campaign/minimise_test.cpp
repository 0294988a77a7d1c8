// The minimiser on a real candidate: where it ends does not depend on where it began, and what it
// leaves is the same finding.
#include <gtest/gtest.h>

#include <qkvet/campaign/fuzz.hpp>
#include <qkvet/campaign/neighbours.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/simpler.hpp>
#include <qkvet/problem/text.hpp>
#include <set>

#include "kernels.hpp"
#include "properties/registry.hpp"

namespace qkvet {
namespace {

constexpr std::string_view minimal_text = "qk1:b1.hq1.hk1.l1.s5.dk1.dv1/f32/q:0/k:0*5/v:0*4,1";

/// tail_dropping_kernel: wrong where S mod 4 = 1 and S > 1.
class Minimiser : public testing::Test {
 protected:
  const Property& property = *property_named("matches-reference");
  std::unique_ptr<Candidate> candidate = in_process(tail_dropping_kernel());
  Terms terms = terms_for(Format::binary32, *candidate, std::nullopt, Domain{});

  std::optional<Finding> finding(const Problem& problem) {
    if (outside(terms.domain, problem)) return std::nullopt;
    const Verdict verdict =
        examine(problem, property, *candidate, terms.contract, {CrossCheck::never});
    const auto* fail = std::get_if<Fail>(&verdict);
    return fail == nullptr ? std::nullopt : std::optional(fail->finding);
  }
  Minimised minimised(const Problem& problem, const Finding& found, const MinimiseBudget& budget) {
    return minimise(problem, found, property, *candidate, terms.contract, terms.domain,
                    {CrossCheck::never}, budget, {});
  }
  Problem drawn(std::uint64_t seed) {
    Domain domain = terms.domain;
    domain.work_budget = 20'000;
    Choices choices = Choices::from_seed(seed);
    return draw(choices, domain).problem;
  }
};

TEST_F(Minimiser, EndsAtOneCaseFromEveryStart) {
  std::set<std::string> ends;
  int starts = 0;
  for (std::uint64_t seed = 0; seed < 1500 && starts < 25; ++seed) {
    const Problem start = drawn(seed);
    const auto found = finding(start);
    if (!found || found->signature() != "matches-reference|wrong||finite|checked") continue;
    ++starts;
    const Minimised least = minimised(start, *found, {});
    EXPECT_FALSE(least.exhausted);
    EXPECT_LE(least.calls, 1000) << seed;
    EXPECT_EQ(least.finding.signature(), found->signature());
    EXPECT_LT(compare_complexity(least.problem, start), 0);
    ends.insert(write_case(least.problem));
  }
  EXPECT_EQ(starts, 25);
  EXPECT_EQ(ends, std::set<std::string>{std::string(minimal_text)});
}

/// The three ways by which a case comes: drawn by a campaign, searched by the fuzz engine, given as
/// text.
TEST_F(Minimiser, EndsAtOneCaseFromEveryEngine) {
  CampaignOptions options;
  options.cases = 60;
  options.properties = {&property};
  options.profile = *profile_named("smoke");
  options.stop_first = true;
  const Report checked = run_campaign(*candidate, options);
  FuzzOptions search;
  search.runs = 2000;
  search.campaign = options;
  search.campaign.profile = fuzz_profile();
  search.campaign.seed = 7;
  const FuzzResult fuzzed = run_fuzz(*candidate, search);
  Corpus given;
  given.cases.push_back(
      {"text",
       {read_case("qk1:b1.hq2.hk2.l2.s9.dk1.dv2/f32/q:1,2,3,4/k:1*18/v:3*30,7,5*5", "text"), {}}});
  options.corpus = given;
  const Report replayed = run_campaign(*candidate, options);
  for (const Report* report : {&checked, &fuzzed.report, &replayed}) {
    ASSERT_EQ(report->findings.size(), 1U);
    EXPECT_EQ(report->findings[0].case_text, minimal_text);
    EXPECT_EQ(report->findings[0].rule, checked.findings[0].rule);
  }
  EXPECT_EQ(replayed.findings[0].stratum, "corpus");
  EXPECT_GT(checked.findings[0].calls, checked.findings[0].steps);
}

TEST_F(Minimiser, SaysWhichNeighboursFail) {
  const Problem minimal = read_case(minimal_text, "text");
  const std::string rule =
      rule_near(minimal, property, *candidate, terms.contract, terms.domain, {}, {});
  EXPECT_TRUE(rule.starts_with("fails iff S mod 4 = 1 and S >= 5 (")) << rule;
  EXPECT_EQ(rule.find(';'), rule.npos) << "neither L nor d decide: " << rule;
  // Nothing outside the domain is tried: with S fixed there is nothing to say.
  const Domain fixed = narrow(terms.domain, "S=5");
  EXPECT_EQ(rule_near(minimal, property, *candidate, terms.contract, fixed, {}, {}), "");
  EXPECT_EQ(
      rule_near(minimal, property, *candidate, terms.contract, terms.domain, {0, 200'000, 5}, {}),
      "");
}

TEST_F(Minimiser, EndsWithEachPartOfItsBudget) {
  const Problem start =
      read_case("qk1:b1.hq2.hk2.l2.s9.dk1.dv2/f32/q:1,2,3,4/k:1*18/v:3*30,7,5*5", "text");
  const Finding found = finding(start).value();
  MinimiseBudget calls, work, seconds;
  calls.calls = 3;
  work.work = 3000;
  seconds.seconds = 0;
  for (const MinimiseBudget& budget : {calls, work, seconds}) {
    const Minimised part = minimised(start, found, budget);
    EXPECT_TRUE(part.exhausted);
    EXPECT_LE(part.calls, 3);
    EXPECT_TRUE(finding(part.problem).has_value());
  }
  const MinimiseBudget usual;
  EXPECT_EQ(usual.calls, 5000);
  EXPECT_EQ(usual.seconds, 30);
}

}  // namespace
}  // namespace qkvet
