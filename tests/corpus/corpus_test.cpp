// Every case of the corpus, every property, on the built-in kernels: cases kept from earlier must hold,
// and both oracles must agree on them.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include <properties/registry.hpp>
#include <qkvet/campaign/corpus.hpp>
#include <qkvet/check/examine.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/problem/draw.hpp>

namespace qkvet {
namespace {

const Corpus& corpus() {
  static const Corpus read = read_corpus(QKVET_CORPUS);
  return read;
}

/// Examines every case under every property and counts how often each case passed.
void replay(const char* kernel) {
  const auto candidate = in_process(*builtin_kernel(kernel));
  for (const CorpusCase& item : corpus().cases) {
    const Problem& problem = item.example.problem;
    const Contract contract = candidate->contracts().at(problem.format);
    if (outside(contract.limits, problem)) continue;
    int passed = 0;
    for (const Property& property : all_properties()) {
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
  EXPECT_TRUE(corpus().bad.empty());
  EXPECT_GE(corpus().cases.size(), strata().size());
  for (const CorpusCase& item : corpus().cases) {
    const auto& about = item.example.about;
    EXPECT_TRUE(about.count("reason") + about.count("provenance") > 0) << item.source;
  }
}

TEST(Corpus, HasASeedOfEveryStratum) {
  std::set<std::string> seen;
  for (const CorpusCase& item : corpus().cases) {
    const auto found = item.example.about.find("stratum");
    if (found != item.example.about.end()) seen.insert(found->second);
  }
  for (const Stratum& stratum : strata()) {
    EXPECT_EQ(seen.count(std::string(stratum.name)), 1U) << stratum.name;
  }
}

/// A case that names its property must give that property something to judge.
TEST(Corpus, RegressionsReachThePropertyTheyName) {
  const auto candidate = in_process(*builtin_kernel("naive"));
  for (const CorpusCase& item : corpus().cases) {
    const auto named = item.example.about.find("property");
    if (named == item.example.about.end()) continue;
    const Property* property = property_named(named->second);
    ASSERT_NE(property, nullptr) << item.source;
    const Problem& problem = item.example.problem;
    const Verdict verdict = examine(problem, *property, *candidate,
                                    candidate->contracts().at(problem.format), ExamineOptions{});
    EXPECT_EQ(word(verdict), "pass") << item.source;
  }
}

}  // namespace
}  // namespace qkvet
