// No false alarm: the honest kernels of the fleet hold on every case of the corpus, in the formats that
// they have.
#include <gtest/gtest.h>

#include <memory>
#include <qkvet/campaign/corpus.hpp>
#include <vector>

#include "../fleet/fleet.hpp"
#include "../fleet/muster.hpp"

namespace {

using namespace qkvet;

TEST(Corpus, HoldsOnTheFleet) {
  std::vector<std::unique_ptr<Candidate>> kernels;
  std::vector<Candidate*> candidates;
  for (std::size_t index = 0; index < fleet::recipes().size(); ++index) {
    kernels.push_back(in_process(fleet::candidate(index)));
    candidates.push_back(kernels.back().get());
  }
  std::vector<fleet::Named> problems;
  for (const CorpusCase& item : read_corpus(QKVET_CORPUS).cases) {
    if (is_dear(item) || item.example.problem.format != Format::binary32) continue;  // What they take.
    problems.push_back({item.source, item.example.problem});
  }
  const fleet::Muster result = fleet::muster(candidates, problems);
  EXPECT_EQ(result.failures(), 0) << result.text();
  for (const fleet::Record& record : result.records) EXPECT_GE(record.cases, 80) << record.name;
}

}  // namespace
