#include <gtest/gtest.h>

#include <qkvet/report/writers.hpp>

#include "sample.hpp"

namespace qkvet {
namespace {

Report with(PropertyResult result) {
  Report report;
  report.properties = {std::move(result)};
  return report;
}

PropertyResult passing() {
  PropertyResult result;
  result.pass = 10;
  return result;
}

TEST(ReportExitCode, HoldsWhenAllPass) {
  Report report = with(passing());
  EXPECT_EQ(exit_code(report), ExitCode::holds);
  report.strict = true;
  EXPECT_EQ(exit_code(report), ExitCode::holds);
}

TEST(ReportExitCode, OneFailureAmongPassesIsFail) {
  PropertyResult result = passing();
  result.fail = 1;
  EXPECT_EQ(exit_code(with(result)), ExitCode::fail);
}

/// Ten cases that pass by our verdict, one that fails, and what a criterion says of them.
Report gated(std::int64_t passed, std::int64_t failed) {
  PropertyResult result = passing();
  result.fail = 1;
  Report report = with(result);
  report.criteria.emplace_back().name = "certified";
  CriterionCount& count = report.criteria.emplace_back();
  count.name = report.gate = "nmse";
  count.pass = passed;
  count.fail = failed;
  return report;
}

TEST(ReportExitCode, AChosenCriterionDecides) {
  EXPECT_EQ(exit_code(gated(11, 0)), ExitCode::holds);
  EXPECT_EQ(exit_code(gated(10, 1)), ExitCode::fail);
  EXPECT_NE(write_text(gated(10, 1)).find("verdict  FAIL by nmse (1 of 11 cases fail it); ours: 11"),
            std::string::npos);
  Report ours = gated(11, 0);
  ours.gate.clear();
  EXPECT_EQ(exit_code(ours), ExitCode::fail);
}

TEST(ReportExitCode, ACrashFailsUnderEveryCriterion) {
  Report report = gated(10, 0);
  report.call_failures = 1;
  EXPECT_EQ(exit_code(report), ExitCode::fail);
}

TEST(ReportExitCode, ACriterionThatJudgedNothingTestedNothing) {
  EXPECT_EQ(exit_code(gated(0, 0)), ExitCode::nothing_tested);
  Report never = gated(0, 0);
  never.criteria.clear();
  EXPECT_EQ(exit_code(never), ExitCode::nothing_tested);
}

TEST(ReportExitCode, ACampaignOfMostlyVacuousPlacesSaysSoAndIsInconclusive) {
  PropertyResult result = passing();
  result.tally = {100, 0, 0, 0, 60, 60};
  Report report = with(result);
  EXPECT_EQ(exit_code(report), ExitCode::holds);
  EXPECT_NE(write_text(report).find(" vacuous    37.5% of 160 elements"), std::string::npos);
  EXPECT_EQ(write_text(report).find(" weak "), std::string::npos);
  report.set_aside = {0, 0, 0, 0, 50, 50};  // of a case that was redrawn
  EXPECT_EQ(exit_code(report), ExitCode::inconclusive);
  EXPECT_NE(write_text(report).find(" weak       most elements are vacuous"), std::string::npos);
}

TEST(Refusals, MostlyRefusedIsCalledWeakWithTheMostFrequentReasonOnOneShortLine) {
  PropertyResult result = passing();
  result.refuse("once");
  for (int n = 0; n < 10; ++n) result.refuse("twice\nsaid " + std::string(200, 'x'));
  const std::string text = write_text(with(result));
  EXPECT_NE(text.find(" refused    11 of 21 draws; most often: twice said xxx"), text.npos) << text;
  EXPECT_NE(text.find(std::string(89, 'x') + "...\n"), text.npos) << text;
  EXPECT_EQ(text.find(std::string(90, 'x')), text.npos) << text;
  EXPECT_NE(text.find(" weak       the candidate refused 52.4% of the draws\n"), text.npos) << text;
  result.pass = 11;
  EXPECT_EQ(write_text(with(result)).find(" weak "), text.npos);
}

TEST(Refusals, ManyDifferentReasonsAreCountedButNotAllKept) {
  PropertyResult result;
  for (int n = 0; n < 1000; ++n) result.refuse(std::to_string(n));
  EXPECT_EQ(result.refused, 1000);
  EXPECT_EQ(result.reasons.size(), 64U);
}

TEST(ReportExitCode, NoAcceptedCaseAtAllIsNothingTested) {
  EXPECT_EQ(exit_code(Report{}), ExitCode::nothing_tested);
  PropertyResult refused;
  refused.refused = 100;
  EXPECT_EQ(exit_code(with(refused)), ExitCode::nothing_tested);
}

TEST(ReportExitCode, APropertyOutsideTheLimitsCountsOnlyWhenTheUserNamedIt) {
  Report report = with(passing());
  PropertyResult outside;
  outside.not_applying = 400;
  report.properties.push_back(outside);
  EXPECT_EQ(exit_code(report), ExitCode::holds);
  report.properties.back().selected = true;
  EXPECT_EQ(exit_code(report), ExitCode::nothing_tested);
}

TEST(ReportExitCode, OneSuspectIsInconclusiveOnlyUnderStrict) {
  PropertyResult result = passing();
  result.suspect = 1;
  Report report = with(result);
  EXPECT_EQ(exit_code(report), ExitCode::holds);
  report.strict = true;
  EXPECT_EQ(exit_code(report), ExitCode::inconclusive);
  EXPECT_NE(write_text(report).find("verdict  inconclusive"), std::string::npos);
}

TEST(ReportExitCode, NothingButUndecidedIsInconclusive) {
  PropertyResult result;
  result.undecided = 3;
  EXPECT_EQ(exit_code(with(result)), ExitCode::inconclusive);
}

TEST(ReportExitCode, ALostFindingOutranksTheFinding) {
  PropertyResult result = passing();
  result.fail = 1;
  Report report = with(result);
  report.troubles = {{ExitCode::cannot_create, "no folder"}};
  EXPECT_EQ(exit_code(report), ExitCode::cannot_create);
  report.troubles.push_back({ExitCode::io_error, "disk full"});
  EXPECT_EQ(exit_code(report), ExitCode::io_error);
}

TEST(Prevailing, FollowsTheOneList) {
  using enum ExitCode;
  const ExitCode order[] = {
      internal,       io_error,     cannot_create, isolation, candidate_unusable,
      missing_input,  bad_data,     usage,         fail,      unexpected_pass,
      nothing_tested, inconclusive, stopped,       holds};
  for (std::size_t a = 0; a < std::size(order); ++a) {
    for (std::size_t b = a; b < std::size(order); ++b) {
      EXPECT_EQ(prevailing(order[a], order[b]), order[a]);
      EXPECT_EQ(prevailing(order[b], order[a]), order[a]);
    }
  }
}

}  // namespace
}  // namespace qkvet
