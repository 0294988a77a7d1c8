// Every case of the corpus, every property, on the built-in kernels: cases kept from earlier must
// hold, and both oracles must agree on them.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <properties/registry.hpp>
#include <qkvet/campaign/corpus.hpp>
#include <qkvet/check/examine.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/problem/draw.hpp>
#include <set>
#include <string>

namespace qkvet {
namespace {

const Corpus& corpus() {
  static const Corpus read = read_corpus(QKVET_CORPUS);
  return read;
}

std::string said(const CorpusCase& item, const char* key) {
  const auto found = item.example.about.find(key);
  return found == item.example.about.end() ? "" : found->second;
}

/// Examines every case under every property (the dear ones under those that they are for) and
/// counts how often each case passed.
void replay(const char* kernel) {
  const auto candidate = in_process(*builtin_kernel(kernel));
  for (const CorpusCase& item : corpus().cases) {
    const Problem& problem = item.example.problem;
    const Contract contract = candidate->contracts().at(problem.format);
    if (outside(contract.limits, problem)) continue;
    int passed = 0;
    for (const Property& property : all_properties()) {
      if (is_dear(item) && !is_for(item, property.name)) continue;
      const ExamineOptions options{CrossCheck::always, problem.shape.work()};
      const Verdict verdict = examine(problem, property, *candidate, contract, options);
      const Finding* finding = finding_of(verdict);
      EXPECT_EQ(finding, nullptr) << item.source << ", " << property.name << ": "
                                  << (finding != nullptr ? finding->message : "");
      passed += std::holds_alternative<Pass>(verdict) ? 1 : 0;
    }
    EXPECT_GT(passed, 0) << item.source << ": no property could say anything";
  }
}

TEST(Corpus, HoldsOnNaive) { replay("naive"); }
TEST(Corpus, HoldsOnFlash) { replay("flash"); }

TEST(Corpus, IsReadableAndSaysWhyEachCaseIsKept) {
  for (const Trouble& bad : corpus().bad) ADD_FAILURE() << bad.message;
  for (const CorpusCase& item : corpus().cases) {
    EXPECT_FALSE(why_kept(item).empty()) << item.source;
    const bool regression = item.source.starts_with("regressions/");
    EXPECT_EQ(regression, !said(item, "provenance").empty()) << item.source;
  }
}

TEST(Corpus, HoldsEachProblemOnce) {
  std::set<std::string> seen;
  for (const CorpusCase& item : corpus().cases) {
    EXPECT_TRUE(seen.insert(digest(item.example.problem)).second) << item.source;
  }
}

/// The history of the field: at least 60 public reports, each a case of a few hundred bytes.
TEST(Corpus, HoldsTheReportsOfOthersInSmallFiles) {
  std::set<std::string> reports;
  for (const CorpusCase& item : corpus().cases) {
    const std::string provenance = said(item, "provenance");
    if (provenance.find('#') != std::string::npos) reports.insert(provenance);
    EXPECT_LT(write_counterexample(item.example).size(), 4096U) << item.source;
  }
  EXPECT_GE(reports.size(), 60U);
}

TEST(Corpus, HasASeedOfEveryStratum) {
  std::set<std::string> seen;
  for (const CorpusCase& item : corpus().cases) seen.insert(said(item, "stratum"));
  for (const Stratum& stratum : strata()) {
    EXPECT_EQ(seen.count(std::string(stratum.name)), 1U) << stratum.name;
  }
}

/// A case that names its property must give that property something to judge.
TEST(Corpus, RegressionsReachThePropertyTheyName) {
  const auto candidate = in_process(*builtin_kernel("naive"));
  for (const CorpusCase& item : corpus().cases) {
    if (property_of(item).empty() || is_dear(item)) continue;  // The dear ones: replay.
    const Property* property = property_named(property_of(item));
    ASSERT_NE(property, nullptr) << item.source;
    const Problem& problem = item.example.problem;
    const Verdict verdict =
        examine(problem, *property, *candidate, candidate->contracts().at(problem.format),
                ExamineOptions{CrossCheck::never});
    EXPECT_EQ(word(verdict), "pass") << item.source;
  }
}

}  // namespace
}  // namespace qkvet
