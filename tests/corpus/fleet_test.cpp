// No false alarm: the honest kernels of the fleet hold on every case of the corpus, in the formats
// that they have.
#include "../fleet/fleet.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <qkvet/campaign/corpus.hpp>
#include <vector>

#include "../fleet/muster.hpp"

namespace {

using namespace qkvet;

/// The same case, its values rounded once to another storage format (some become infinite, as they
/// may).
Problem in_format(Problem problem, Format format) {
  const Format from = problem.format;
  for (Tensor* tensor : {&problem.q, &problem.k, &problem.v}) {
    for (std::uint64_t& bits : tensor->bits) bits = encode(format, decode(from, bits));
    tensor->format = format;
  }
  problem.format = format;
  return problem;
}

TEST(Corpus, HoldsOnTheFleet) {
  std::vector<std::unique_ptr<Candidate>> kernels;
  std::vector<Candidate*> candidates;
  for (std::size_t index = 0; index < fleet::recipes().size(); ++index) {
    kernels.push_back(in_process(fleet::candidate(index)));
    candidates.push_back(kernels.back().get());
  }
  std::vector<fleet::Named> problems;
  for (const CorpusCase& item : read_corpus(QKVET_CORPUS).cases) {
    if (is_dear(item)) continue;
    for (const Format format : {Format::binary32, Format::binary16, Format::bfloat16}) {
      problems.push_back({item.source, in_format(item.example.problem, format)});
    }
  }
  const fleet::Muster result = fleet::muster(candidates, problems);
  EXPECT_EQ(result.failures(), 0) << result.text();
  for (const fleet::Record& record : result.records) EXPECT_GE(record.cases, 80) << record.name;
}

}  // namespace
