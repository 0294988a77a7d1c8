#include <qkvet/campaign/recorder.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <qkvet/problem/text.hpp>
#include <string>

#include "kernels.hpp"
#include "properties/registry.hpp"

namespace qkvet {
namespace {

TEST(Recorder, ListsTheFirstTwentySuspects) {
  const std::unique_ptr<Candidate> candidate = in_process(plain_kernel());
  const CampaignOptions options;
  Report report;
  Recorder recorder(*candidate, options, report);
  const Terms terms = terms_for(Format::binary32, *candidate, std::nullopt, Domain{});
  const Problem problem =
      read_case("qk1:b1.hq1.hk1.l1.s1.dk1.dv1/f32/q:1/k:1/v:1", "text");
  for (int n = 0; n < 30; ++n) {
    Finding finding;
    finding.label = "unlikely";
    finding.message = std::to_string(n);
    recorder.suspect(problem, *property_named("matches-reference"), finding, terms,
                     "unit-gaussian", n);
  }
  ASSERT_EQ(report.suspects.size(), 20U);
  EXPECT_EQ(report.suspects.front().finding.message, "0");
  EXPECT_EQ(report.suspects.back().finding.message, "19");
}

}  // namespace
}  // namespace qkvet
