// Each verdict of a campaign is counted once, where it belongs; each property draws cases of its own;
// what is minimised stays the same finding.
#include <gtest/gtest.h>

#include <memory>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/campaign/minimise.hpp>
#include <qkvet/campaign/profiles.hpp>
#include <qkvet/problem/text.hpp>
#include <qkvet/report/writers.hpp>
#include <string>
#include <vector>

#include "kernels.hpp"

namespace qkvet {
namespace {

Tally one_place() {
  Tally tally;
  tally.add(PlaceKind::checked);
  return tally;
}

/// Verdicts in turn, one per problem: a rung that does not decide asks again about the same one.
/// The campaign draws another case for each vacuous one.
int problems = 0;
std::string last;
Verdict next_verdict(const Plan& plan, std::span<const Exhibit>) {
  const std::string now = digest(plan.runs.front().problem);
  if (now != last) ++problems;
  last = now;
  switch (problems % 8) {
    case 0:
    case 1:
    case 2:
      return Suspect{{}, one_place()};
    case 3:
    case 4:
      return Undecided{"cannot say", {}};
    case 5:
      return Vacuous{"says nothing", one_place()};
    default:
      return Pass{0.5, one_place()};
  }
}

const Property in_turn{
    "in-turn",
    "verdicts in turn",
    [](const Problem&, const Contract&) -> std::optional<std::string> { return std::nullopt; },
    [](const Problem& problem, const Contract&) { return Plan{{{problem, ""}}, {}}; },
    next_verdict,
    {},
    nullptr,
    ""};

CampaignOptions only(const Property& property, std::int64_t cases) {
  CampaignOptions options;
  options.profile = *profile_named("smoke");
  options.cases = cases;
  options.properties = {&property};
  options.domain.formats = {Format::binary32};
  options.cross_check = CrossCheck::never;
  return options;
}

TEST(Counts, OfEachVerdictAreThose) {
  problems = 0;
  last.clear();
  const Report report = run_campaign(*in_process(plain_kernel()), only(in_turn, 56));
  const PropertyResult& result = report.properties.at(0);
  EXPECT_EQ(result.pass, 16) << write_text(report);
  EXPECT_EQ(result.suspect, 24);
  EXPECT_EQ(result.undecided, 16);
  EXPECT_EQ(result.vacuous, 8);
  EXPECT_EQ(result.fail, 0);
  std::int64_t vacuous = 0;
  for (const StratumResult& stratum : report.strata) vacuous += stratum.vacuous;
  EXPECT_EQ(vacuous, 8);
  EXPECT_EQ(report.set_aside.total(), 8);
  EXPECT_EQ(report.suspects.size(), 20U);  // shown; all are counted
}

// What a property is asked about, in order.
std::vector<std::string> asked;
Verdict remember(const Plan& plan, std::span<const Exhibit>) {
  asked.push_back(digest(plan.runs.front().problem));
  return Pass{0.5, one_place()};
}

TEST(Drawing, EachPropertyHasCasesOfItsOwn) {
  Property one = in_turn, other = in_turn;
  one.judge = other.judge = remember;
  other.name = "another";
  std::vector<std::vector<std::string>> seen;
  for (const Property& property : {one, other, one}) {
    asked.clear();
    (void)run_campaign(*in_process(plain_kernel()), only(property, 10));
    seen.push_back(asked);
  }
  EXPECT_NE(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
}

/// Fails in one way where S >= 3, in another below.
Verdict fail_by_size(const Plan& plan, std::span<const Exhibit>) {
  Finding finding;
  finding.property = "by-size";
  finding.label = plan.runs.front().problem.shape.S >= 3 ? "wrong" : "unwritten";
  return Fail{finding, one_place()};
}

TEST(Minimise, KeepsTheSignature) {
  Property by_size = in_turn;
  by_size.name = "by-size";
  by_size.judge = fail_by_size;
  const std::unique_ptr<Candidate> candidate = in_process(plain_kernel());
  const Problem problem = read_case(
      "qk1:b1.hq1.hk1.l1.s6.dk1.dv1/f32/q:1/k:1,2,3,4,5,6/v:1,2,3,4,5,6", "text");
  Finding finding;
  finding.property = "by-size";
  finding.label = "wrong";
  const Contract contract = candidate->contracts().at(Format::binary32);
  const Minimised least = minimise(problem, finding, by_size, *candidate, contract,
                                   contract.limits, {CrossCheck::never}, {}, {});
  EXPECT_EQ(least.finding.label, "wrong");
  EXPECT_EQ(least.problem.shape.S, 3);
}

}  // namespace
}  // namespace qkvet
