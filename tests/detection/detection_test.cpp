// The measurement itself, on few cases: honest kernels are never rejected by the bound, and the
// bound rejects most of the mutants that matter. docs/detection.md has the figures of the long run.
#include <gtest/gtest.h>

#include "measure.hpp"

namespace {

using namespace detection;

constexpr Declared levels[] = {Declared::nothing, Declared::arithmetic, Declared::structure};

class Detection : public testing::TestWithParam<qkvet::Format> {};

TEST_P(Detection, NoFalseAlarmAndMostMutants) {
  const Measured measured = measure(GetParam(), 11, 30, 200);
  for (const Result& honest : measured.honest) {
    for (const Declared declared : levels) {
      EXPECT_EQ(honest.hits[rule_of(declared, Look::probe)], 0) << honest.name;
    }
  }
  // Each look can only add, and what is declared is never looser than what is not.
  for (const Result& mutant : measured.mutants) {
    const auto hits = [&](Declared declared, Look look) {
      return mutant.hits[rule_of(declared, look)];
    };
    for (const Declared declared : levels) {
      EXPECT_LE(hits(declared, Look::outputs), hits(declared, Look::lse)) << mutant.name;
      EXPECT_LE(hits(declared, Look::lse), hits(declared, Look::probe)) << mutant.name;
    }
    for (const Look look : {Look::outputs, Look::lse, Look::probe}) {
      EXPECT_LE(hits(Declared::nothing, look), hits(Declared::arithmetic, look)) << mutant.name;
      EXPECT_LE(hits(Declared::arithmetic, look), hits(Declared::structure, look)) << mutant.name;
    }
  }
  const auto mean = [&](Declared declared) {
    return mean_detection(measured, rule_of(declared, Look::probe), true);
  };
  EXPECT_GT(mean(Declared::nothing), 0.75);
  EXPECT_GT(mean(Declared::arithmetic), 0.85);
  EXPECT_GT(mean(Declared::structure), 0.85);
}

INSTANTIATE_TEST_SUITE_P(Formats, Detection,
                         testing::Values(qkvet::Format::binary32, qkvet::Format::bfloat16,
                                         qkvet::Format::binary16, qkvet::Format::binary64),
                         [](const auto& format) {
                           return std::string(qkvet::info(format.param).name);
                         });

}  // namespace
