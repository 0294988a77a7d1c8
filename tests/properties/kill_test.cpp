// Each property accepts a correct kernel on the cases that it prepares, and kills a wrong one of
// its class.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <qkvet/check/examine.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/text.hpp>
#include <string>

#include "try_on.hpp"

namespace qkvet::test {
namespace {

struct Killed {
  const char* property;
  Bug bug;
};

class EachProperty : public testing::TestWithParam<Killed> {};

void PrintTo(const Killed& killed, std::ostream* out) { *out << killed.property; }

TEST_P(EachProperty, AcceptsACorrectKernel) {
  const Property& property = *property_named(GetParam().property);
  PlainCandidate correct;
  const Counts counts = try_on(property, correct, plain_contract(), 150);
  EXPECT_EQ(counts.fail, 0) << counts.first_failure;
  EXPECT_GE(counts.applied, 20);
  // Cases that decide nothing are few: power comes from the plan or from a control.
  EXPECT_GE(counts.pass * 10, counts.applied * 7)
      << counts.vacuous << " vacuous, " << counts.undecided << " undecided of " << counts.applied;
}

TEST_P(EachProperty, AcceptsACorrectKernelInDouble) {
  const Property& property = *property_named(GetParam().property);
  PlainCandidate correct;
  const Counts counts = try_on(property, correct, plain_contract(Format::binary64), 40);
  EXPECT_EQ(counts.fail, 0) << counts.first_failure;
  EXPECT_GT(counts.pass, 0);
}

TEST_P(EachProperty, KillsAWrongKernelOfItsClass) {
  const Property& property = *property_named(GetParam().property);
  PlainCandidate wrong(GetParam().bug);
  EXPECT_GT(try_on(property, wrong, plain_contract(), 150).fail, 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, EachProperty,
    testing::Values(
        Killed{"matches-reference", Bug::no_scale}, Killed{"rows-sum-to-one", Bug::no_division},
        Killed{"masked-weight-zero", Bug::hidden_leak},
        Killed{"masked-inputs-dead", Bug::hidden_visible},
        Killed{"equal-scores-uniform", Bug::picks_first},
        Killed{"key-value-permutation", Bug::first_twice},
        Killed{"value-column-permutation", Bug::last_column_repeats},
        Killed{"softmax-axis", Bug::query_axis}, Killed{"empty-row", Bug::empty_nan},
        Killed{"single-visible-key", Bug::one_halved}, Killed{"convex-hull", Bug::sum_rounded},
        Killed{"score-shift", Bug::maximum_from_zero},
        Killed{"nan-stays-in-its-row", Bug::nan_leaks}, Killed{"visible-nan-due", Bug::nan_hidden},
        Killed{"infinity-confined", Bug::infinity_leaks},
        Killed{"no-overflow", Bug::sum_times_2_40}, Killed{"signed-zero", Bug::minus_zero_ignored},
        Killed{"subnormal", Bug::flushes}),
    [](const auto& info_) {
      std::string name = info_.param.property;
      for (char& c : name) c = c == '-' ? '_' : c;
      return name;
    });

TEST(Registry, NamesEachPropertyOnceWithMatchesReferenceFirst) {
  EXPECT_GE(all_properties().size(), 33U);
  EXPECT_EQ(all_properties().front().name, "matches-reference");
  for (const Property& property : all_properties()) {
    EXPECT_EQ(property_named(property.name), &property);
    EXPECT_FALSE(property.statement.empty());
    EXPECT_FALSE(property.kills.empty());
    EXPECT_FALSE(property.impostors.empty());
  }
  EXPECT_EQ(property_named("no-such-property"), nullptr);
}

TEST(Registry, NamesAMutantOfTheTableForEachProperty) {
  std::ifstream file(QKVET_MUTANT_TABLE);
  ASSERT_TRUE(file.good()) << QKVET_MUTANT_TABLE;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  for (const Property& property : all_properties()) {
    const bool listed = std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.rfind(std::string(property.kills) + " |", 0) == 0 &&
             line.find("| " + std::string(property.name) + " |") != std::string::npos;
    });
    EXPECT_TRUE(listed) << property.name << " kills " << property.kills;
  }
}

TEST(MaskedWeightZero, SeesALeakThatNoBoundSees) {
  Problem problem;
  problem.shape = {1, 1, 1, 4, 6, 3, 3};
  problem.q = make_tensor(problem.format, {1, 1, 4, 3});
  problem.k = make_tensor(problem.format, {1, 1, 6, 3});
  problem.v = make_tensor(problem.format, {1, 1, 6, 3});
  problem.mask.causal = true;
  Choices choices = Choices::from_seed(11);
  for (Tensor* tensor : {&problem.q, &problem.k, &problem.v}) {
    for (std::uint64_t& bits : tensor->bits) bits = encode(tensor->format, choices.gaussian());
  }
  PlainCandidate wrong(Bug::hidden_leak);
  const auto verdict = [&](std::string_view name) {
    return word(examine(problem, *property_named(name), wrong, plain_contract(), {}));
  };
  EXPECT_EQ(verdict("matches-reference"), "pass");
  EXPECT_EQ(verdict("masked-weight-zero"), "FAIL");
}

TEST(Plans, AreTheSameEachTime) {
  const Contract contract = plain_contract();
  Choices choices = Choices::from_seed(5);
  const Problem problem = draw(choices, small_cases(Format::binary32)).problem;
  for (const Property& property : all_properties()) {
    if (property.applies(problem, contract)) continue;
    const Plan a = property.plan(problem, contract);
    const Plan b = property.plan(problem, contract);
    ASSERT_EQ(a.runs.size(), b.runs.size());
    for (std::size_t run = 0; run < a.runs.size(); ++run) {
      EXPECT_EQ(digest(a.runs[run].problem), digest(b.runs[run].problem)) << property.name;
    }
  }
}

TEST(Plans, AreValidProblems) {
  const Contract contract = plain_contract();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Choices choices = Choices::from_seed(mix(seed));
    const Problem drawn = draw(choices, small_cases(Format::binary32)).problem;
    for (const Property& property : all_properties()) {
      Problem problem = drawn;
      if (property.prepare != nullptr) property.prepare(problem, seed);
      ASSERT_NO_THROW(validate(problem)) << property.name;
      if (property.applies(problem, contract)) continue;
      for (const PlannedRun& run : property.plan(problem, contract).runs) {
        ASSERT_NO_THROW(validate(run.problem)) << property.name << " " << run.role;
      }
    }
  }
}

}  // namespace
}  // namespace qkvet::test
