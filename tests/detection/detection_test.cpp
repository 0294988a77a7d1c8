// The measurement itself, on few cases: honest kernels are never rejected by the bound, and the
// bound rejects most of the mutants that matter. docs/detection.md has the figures of the long run.
#include <gtest/gtest.h>

#include "measure.hpp"

namespace {

using namespace detection;

class Detection : public testing::TestWithParam<qkvet::Format> {};

TEST_P(Detection, NoFalseAlarmAndMostMutants) {
  const Measured measured = measure(GetParam(), 11, 30, 200);
  for (const Result& honest : measured.honest) {
    for (const Rule rule : {Rule::any_probe, Rule::own_probe}) {
      EXPECT_EQ(honest.hits[static_cast<std::size_t>(rule)], 0) << honest.name;
    }
  }
  // Each step can only add, and a declared structure is never looser than none.
  for (const Result& mutant : measured.mutants) {
    const auto hits = [&](Rule rule) { return mutant.hits[static_cast<std::size_t>(rule)]; };
    EXPECT_LE(hits(Rule::any_o), hits(Rule::any_lse)) << mutant.name;
    EXPECT_LE(hits(Rule::any_lse), hits(Rule::any_probe)) << mutant.name;
    EXPECT_LE(hits(Rule::any_o), hits(Rule::own_o)) << mutant.name;
    EXPECT_LE(hits(Rule::own_lse), hits(Rule::own_probe)) << mutant.name;
  }
  EXPECT_GT(mean_detection(measured, Rule::any_probe), 0.75);
  EXPECT_GT(mean_detection(measured, Rule::own_probe), 0.85);
}

INSTANTIATE_TEST_SUITE_P(Formats, Detection,
                         testing::Values(qkvet::Format::binary32, qkvet::Format::bfloat16,
                                         qkvet::Format::binary16, qkvet::Format::binary64),
                         [](const auto& format) {
                           return std::string(qkvet::info(format.param).name);
                         });

}  // namespace
