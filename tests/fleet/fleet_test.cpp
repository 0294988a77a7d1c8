// Claims about the fleet itself, in every storage format, and the fleet under the properties other than matches-reference
// (which fleet_run drives with more cases and one oracle answer for all).
#include "fleet.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <properties/registry.hpp>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/report/writers.hpp>
#include <set>
#include <string>

namespace {

using namespace qkvet;

constexpr std::array all_formats{Format::binary64, Format::binary32, Format::bfloat16,
                                 Format::binary16};

Problem worked_example(Format format) {
  Problem problem;
  problem.format = format;
  problem.shape.S = 2;
  problem.q = make_tensor(format, {1, 1, 1, 1});
  problem.k = make_tensor(format, {1, 1, 2, 1});
  problem.v = make_tensor(format, {1, 1, 2, 1});
  problem.q.set(0, 0, 0, 0, 1);
  problem.k.set(0, 0, 1, 0, std::log(3.0));
  problem.v.set(0, 0, 0, 0, 10);
  problem.v.set(0, 0, 1, 0, 20);
  problem.want_lse = true;
  return problem;
}

class Fleet : public testing::TestWithParam<std::size_t> {};

TEST_P(Fleet, GivesTheWorkedExample) {
  const fleet::Recipe& recipe = fleet::recipes()[GetParam()];
  const auto kernel = in_process(fleet::candidate(GetParam()));
  for (const Format format : all_formats) {
    if (!fleet::takes(recipe, format)) continue;
    const Observation seen = kernel->run(worked_example(format));
    ASSERT_EQ(seen.status, RunStatus::ok) << seen.message;
    EXPECT_TRUE(seen.faults.empty());
    double few = 4 * info(format).u;
    if (recipe.operands != fleet::Operands::stored) few = 4 * 0x1p-11;
    const double weights = recipe.narrow == fleet::Narrow::no ? 0 : 17.5 * 0x1p-3;
    EXPECT_NEAR(decode(format, seen.outputs.o.bits[0]), 17.5, 64 * few + weights);
    const Format of_lse = format == Format::binary64 ? format : Format::binary32;
    EXPECT_NEAR(decode(of_lse, seen.outputs.lse[0]), std::log(4.0), 8 * few + weights / 8);
  }
}

/// Cases of each property. In CI a recipe gets every sixth property, neighbours the others;
/// scripts/nightly fleet-properties gives every recipe all of them.
struct Share {
  std::int64_t cases = 4;
  bool all = false;
};
Share share() {
  const char* const cases = std::getenv("QKVET_FLEET_CASES");
  return cases == nullptr ? Share{} : Share{std::atoll(cases), true};
}

TEST_P(Fleet, HoldsUnderOtherProperties) {
  const auto kernel = in_process(fleet::candidate(GetParam()));
  CampaignOptions options;
  options.profile = *profile_named("smoke");
  options.cases = share().cases;
  options.seed = 100 + GetParam();
  options.domain.formats.clear();
  for (const Format format : all_formats) {
    if (fleet::takes(fleet::recipes()[GetParam()], format)) options.domain.formats.push_back(format);
  }
  std::size_t turn = GetParam();
  for (const Property& property : all_properties()) {
    if (property.name == "matches-reference") continue;
    if (share().all || turn++ % 6 == 0) options.properties.push_back(&property);
  }
  const Report report = run_campaign(*kernel, options);
  EXPECT_TRUE(report.findings.empty()) << kernel->name() << "\n" << write_text(report);
  EXPECT_TRUE(report.troubles.empty()) << kernel->name() << "\n" << write_text(report);
}

std::string name_of(std::size_t index) {
  std::string name = fleet::recipes()[index].name;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Fleet, testing::Range(std::size_t{0}, fleet::recipes().size()),
                         [](const auto& kernel) { return name_of(kernel.param); });

TEST(FleetList, NamesEachKernelOnce) {
  std::set<std::string> names;
  for (const fleet::Recipe& recipe : fleet::recipes()) names.insert(recipe.name);
  EXPECT_EQ(names.size(), fleet::recipes().size());
}

TEST(FleetList, DeclaresOneContractPerFormatOrNone) {
  for (const fleet::Recipe& recipe : fleet::recipes()) {
    const std::string text = fleet::contract_text(recipe);
    if (text.empty()) continue;
    const ContractSet set = read_contracts(text, recipe.name);
    std::size_t formats = 0;
    for (const Format format : all_formats) {
      if (!fleet::takes(recipe, format)) continue;
      ++formats;
      const Contract contract = set.at(format);
      EXPECT_FALSE(contract.assumed) << recipe.name;
      if (recipe.low_only) {
        EXPECT_EQ(contract.arithmetic.score_stores > 0, recipe.scores != fleet::Stored::none)
            << recipe.name;
      }
      EXPECT_EQ(contract.arithmetic.truncates, recipe.truncates) << recipe.name;
      EXPECT_EQ(contract.arithmetic.operands != Arithmetic::Operands::stored,
                recipe.operands != fleet::Operands::stored)
          << recipe.name;
      EXPECT_EQ(contract.arithmetic.narrow_weight != Arithmetic::Narrow::no,
                recipe.narrow != fleet::Narrow::no)
          << recipe.name;
    }
    EXPECT_EQ(set.contracts.size(), formats) << recipe.name;
  }
}

TEST(FleetList, HasTwentyFourOrMoreInEachFormat) {
  for (const Format format : all_formats) {
    const auto taken = [&](const fleet::Recipe& recipe) { return fleet::takes(recipe, format); };
    EXPECT_GE(std::ranges::count_if(fleet::recipes(), taken), 24) << info(format).name;
  }
}

}  // namespace
