// A regression is worth what it catches: where tests/mutants has the fault that a case stands for,
// the case itself (not a control beside it) must kill that mutant. The table is kills.txt.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <properties/registry.hpp>
#include <qkvet/campaign/corpus.hpp>
#include <qkvet/check/examine.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "../mutants/load.hpp"

namespace qkvet {
namespace {

/// Name of a case -> mutants; the first word is "-" where there is none yet.
std::map<std::string, std::vector<std::string>> table() {
  std::ifstream file(QKVET_KILLS);
  std::map<std::string, std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line);
    std::string name, bar;
    words >> name >> bar;
    if (bar != "|") throw std::runtime_error("kills.txt: 'case | mutants' in: " + line);
    std::vector<std::string>& mutants = rows[name];
    for (std::string word; words >> word;) mutants.push_back(word);
  }
  return rows;
}

std::vector<CorpusCase> regressions() {
  Corpus corpus = read_corpus(QKVET_CORPUS);
  std::erase_if(corpus.cases,
                [](const CorpusCase& item) { return !item.source.starts_with("regressions/"); });
  return corpus.cases;
}

std::string name_of(const CorpusCase& item) {
  return std::filesystem::path(item.source).stem().string();
}

/// A failure of the problem itself or of one derived from it; a control is another problem.
bool kills(const CorpusCase& item, Candidate& mutant) {
  const Problem& problem = item.example.problem;
  const Contract contract = mutant.contracts().at(problem.format);
  for (const Property& property : all_properties()) {
    if (!is_for(item, property.name) || property.applies(problem, contract)) continue;
    const Verdict verdict =
        examine(problem, property, mutant, contract, ExamineOptions{CrossCheck::never});
    const auto* fail = std::get_if<Fail>(&verdict);
    if (fail != nullptr && !fail->finding.run.starts_with("control")) return true;
  }
  return false;
}

TEST(Regressions, KillTheMutantsOfTheirFault) {
  const auto rows = table();
  std::map<std::string, std::unique_ptr<Candidate>> loaded;
  int pairs = 0;
  for (const CorpusCase& item : regressions()) {
    const auto row = rows.find(name_of(item));
    if (row == rows.end() || row->second.front() == "-") continue;
    for (const std::string& name : row->second) {
      std::unique_ptr<Candidate>& mutant = loaded[name];
      if (!mutant) mutant = test::load_mutant(name);
      EXPECT_TRUE(kills(item, *mutant)) << name_of(item) << " does not kill " << name;
      ++pairs;
    }
  }
  EXPECT_GE(pairs, 60);
}

TEST(Regressions, SpareTheKernelThatIsRight) {
  const auto correct = test::load_mutant("correct");
  for (const CorpusCase& item : regressions()) {
    if (item.example.problem.format != Format::binary32 || is_dear(item)) continue;
    EXPECT_FALSE(kills(item, *correct)) << item.source;
  }
}

/// Every case that names the class of its fault.
TEST(Regressions, HaveALineEachInTheTable) {
  std::vector<std::string> listed, kept;
  for (const auto& [name, mutants] : table()) {
    listed.push_back(name);
    // "- words": which fault no mutant has yet.
    EXPECT_GE(mutants.size(), mutants.front() == "-" ? 3U : 1U) << name;
  }
  for (const CorpusCase& item : regressions()) {
    if (item.example.about.count("class") > 0) kept.push_back(name_of(item));
  }
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(listed, kept);
}

}  // namespace
}  // namespace qkvet
