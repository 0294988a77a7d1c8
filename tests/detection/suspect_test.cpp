// SUSPECT from end to end: faults that no worst case can see are noticed, the kernel without them
// is not, and no verdict of this kind is given where V may follow the scores.
#include <gtest/gtest.h>

#include <algorithm>
#include <properties/registry.hpp>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/check/suspicion.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/report/writers.hpp>

#include "kernel.hpp"
#include "problems.hpp"

namespace {

using namespace qkvet;

/// Under f32-any, or with its structure declared.
Report campaign(const detection::Build& build, bool declared, std::int64_t cases) {
  const auto kernel = in_process(detection::table_of(build, declared));
  CampaignOptions options;
  options.profile = *profile_named("smoke");
  options.cases = cases;
  options.seed = 5;
  options.domain.formats = {Format::binary32};
  options.cross_check = CrossCheck::never;
  options.properties = {property_named("matches-reference")};
  options.command = "qkvet check ./kernel.so";
  options.selected = true;
  return run_campaign(*kernel, options);
}

const detection::Build& mutant(detection::Fault fault) {
  for (const detection::Build& build : detection::mutants()) {
    if (build.fault == fault) return build;
  }
  return detection::originals().front();
}

class Small : public testing::TestWithParam<detection::Fault> {};

TEST_P(Small, PassesTheBoundAndIsSuspect) {
  const Report report =
      campaign(mutant(GetParam()), GetParam() == detection::Fault::sums_truncated, 300);
  // Where few keys count the bound itself shows a dropped one; elsewhere it cannot.
  if (GetParam() != detection::Fault::light_key_dropped) {
    EXPECT_TRUE(report.findings.empty()) << write_text(report);
  }
  EXPECT_TRUE(report.troubles.empty()) << write_text(report);
  ASSERT_FALSE(report.suspects.empty());
  const FindingRecord& first = report.suspects.front();
  EXPECT_EQ(first.finding.label, "unlikely");
  EXPECT_LE(first.finding.excess, 1);
  EXPECT_EQ(first.repro, "qkvet check ./kernel.so --seed 5");
  EXPECT_NE(write_text(report).find("suspect"), std::string::npos);
  // Not a failure by itself.
  if (report.findings.empty()) {
    EXPECT_EQ(exit_code(report), ExitCode::holds);
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, Small,
                         testing::Values(detection::Fault::exp_biased,
                                         detection::Fault::sums_truncated,
                                         detection::Fault::light_key_dropped),
                         [](const auto& fault) {
                           return std::to_string(static_cast<int>(fault.param));
                         });

TEST(Suspect, TheSameKernelWithoutAFaultIsNot) {
  const Report report = campaign(detection::originals().front(), true, 300);
  EXPECT_TRUE(report.findings.empty()) << write_text(report);
  EXPECT_TRUE(report.suspects.empty()) << write_text(report);
}

TEST(Suspect, OnlyWhereTheDrawMadeVRandom) {
  EXPECT_TRUE(has_random_values("unit-gaussian"));
  EXPECT_TRUE(has_random_values("near-uniform"));
  for (const char* name :
       {"v-key-index", "v-ones", "v-identity", "cancelling-v", "channel-means", "grid", "corpus",
        "fuzz", "subnormal", "format-limit", "equal-scores", ""}) {
    EXPECT_FALSE(has_random_values(name)) << name;
  }
  for (const Stratum& stratum : strata()) {
    if (std::string_view(stratum.name).starts_with("v-")) {
      EXPECT_FALSE(has_random_values(stratum.name));
    }
  }
}

TEST(Suspect, ARedrawKeepsShapeMasksAndEqualKeysAndChangesTheRest) {
  const Problem problem = detection::draw_case(Format::bfloat16, 3, 8).problem;
  const Problem again = redrawn(problem, 1), other = redrawn(problem, 2);
  EXPECT_EQ(again.shape, problem.shape);
  EXPECT_EQ(again.mask, problem.mask);
  EXPECT_NE(again.q.bits, problem.q.bits);
  EXPECT_NE(again.k.bits, other.k.bits);
  EXPECT_EQ(redrawn(problem, 1), again);
  auto sorted = [](Tensor t) {
    std::sort(t.bits.begin(), t.bits.end());
    return t.bits;
  };
  EXPECT_NE(sorted(again.v), sorted(problem.v))
      << "or rows that see all keys alike would be rounded again";
  Problem equal = problem;
  const std::int64_t width = problem.shape.d_k;
  for (std::size_t n = 0; n < equal.k.bits.size(); ++n) {
    equal.k.bits[n] = problem.k.bits[n % static_cast<std::size_t>(width)];
  }
  const Problem still = redrawn(equal, 1);
  for (std::size_t n = 0; n < still.k.bits.size(); ++n) {
    EXPECT_EQ(still.k.bits[n], still.k.bits[n % static_cast<std::size_t>(width)]);
  }
}

}  // namespace
