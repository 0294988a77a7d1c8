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

namespace {

using namespace qkvet;

struct Row {
  std::string name, kind, origin, killer, contract, what;
};

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

std::vector<Row> table() {
  std::ifstream file(QKVET_MUTANT_TABLE);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(trimmed(cell));
    if (cells.size() != 6) throw std::runtime_error("mutants.txt: six cells in: " + line);
    rows.push_back({cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]});
  }
  return rows;
}

/// In the formats that the candidate declares.
CampaignOptions ci(const Candidate& candidate) {
  CampaignOptions options;
  options.profile = *profile_named("ci");
  options.seed = 3;
  options.domain.formats.clear();
  for (const Contract& contract : candidate.contracts().contracts) {
    if (!contract.assumed) options.domain.formats.push_back(contract.format);
  }
  options.minimise.calls = 0;
  return options;
}

class Mutant : public testing::TestWithParam<Row> {};

TEST_P(Mutant, IsKilledByItsProperty) {
  const Row& row = GetParam();
  const auto candidate = test::load_mutant(row.name);
  CampaignOptions options = ci(*candidate);
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
  CampaignOptions options = ci(*candidate);
  options.cases = 60 / static_cast<std::int64_t>(options.domain.formats.size() * 2 - 1);
  for (const Property& property : all_properties()) options.properties.push_back(&property);
  const Report report = run_campaign(*candidate, options);
  EXPECT_TRUE(report.findings.empty()) << write_text(report);
}

INSTANTIATE_TEST_SUITE_P(All, MutantBase,
                         testing::Values("correct", "correct_low", "correct_parts"),
                         [](const auto& base) { return std::string(base.param); });

TEST(MutantTable, HasALineForEveryModule) {
  std::vector<std::string> listed, built;
  for (const Row& row : table()) listed.push_back(row.name);
  for (const auto& entry : std::filesystem::directory_iterator(QKVET_MUTANT_SOURCES)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".cpp" && name != "kill_test.cpp") {
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
