// The harness is judged by its mutants: the property that mutants.txt names must kill each of them
// in the ci profile, and the unmutated base must survive everything.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <properties/registry.hpp>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/report/writers.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "load.hpp"
#include "table.hpp"

namespace {

using namespace qkvet;

using Row = test::MutantRow;

std::vector<Row> table() { return test::mutant_table(QKVET_MUTANT_TABLE); }

class Mutant : public testing::TestWithParam<Row> {};

TEST_P(Mutant, IsKilledByItsProperty) {
  const Row& row = GetParam();
  const auto candidate = test::load_mutant(row.name);
  CampaignOptions options = test::ci_campaign(*candidate);
  options.stop_first = true;
  options.properties = {property_named(row.killer)};
  ASSERT_NE(options.properties[0], nullptr) << row.killer;
  const Report report = run_campaign(*candidate, options);
  ASSERT_FALSE(report.findings.empty()) << row.what << "\n" << write_text(report);
  RecordProperty("cases_to_kill", std::to_string(report.findings[0].after));
  std::cout << row.name << ": " << row.killer << " after " << report.findings[0].after << " cases, "
            << report.findings[0].finding.label << "\n";
}

std::vector<Row> wrong_ones() {
  std::vector<Row> rows = table();
  rows.erase(std::remove_if(rows.begin(), rows.end(), [](const Row& r) { return r.killer == "-"; }),
             rows.end());
  return rows;
}

INSTANTIATE_TEST_SUITE_P(All, Mutant, testing::ValuesIn(wrong_ones()),
                         [](const auto& mutant) { return mutant.param.name; });

class MutantBase : public testing::TestWithParam<const char*> {};

TEST_P(MutantBase, SurvivesEveryProperty) {
  const auto candidate = test::load_mutant(GetParam());
  CampaignOptions options = test::ci_campaign(*candidate);
  options.cases = 24 / static_cast<std::int64_t>(options.domain.formats.size() * 2 - 1);
  for (const Property& property : all_properties()) options.properties.push_back(&property);
  const Report report = run_campaign(*candidate, options);
  EXPECT_TRUE(report.findings.empty()) << write_text(report);
}

INSTANTIATE_TEST_SUITE_P(All, MutantBase,
                         testing::Values("correct", "correct_low", "correct_parts",
                                         "correct_splits"),
                         [](const auto& base) { return std::string(base.param); });

TEST(MutantTable, HasALineForEveryModule) {
  std::vector<std::string> listed, built;
  for (const Row& row : table()) listed.push_back(row.name);
  for (const auto& entry : std::filesystem::directory_iterator(QKVET_MUTANT_SOURCES)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".cpp") && !name.ends_with("_test.cpp") && name != "kill_matrix.cpp") {
      built.push_back(entry.path().stem().string());
    }
  }
  std::sort(listed.begin(), listed.end());
  std::sort(built.begin(), built.end());
  EXPECT_EQ(listed, built);
}

TEST(MutantTable, IsTheOneInTheDocs) {
  std::ifstream file(QKVET_MUTANT_DOCS);
  std::stringstream text;
  text << file.rdbuf();
  for (const Row& row : wrong_ones()) {
    const std::string line = "| `" + row.name + "` | " + row.kind + " | " + row.origin + " | " +
                             row.killer + " | " + row.what;
    EXPECT_NE(text.str().find(line), std::string::npos) << line;
  }
}

}  // namespace
