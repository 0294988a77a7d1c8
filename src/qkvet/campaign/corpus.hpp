// Cases kept from earlier: replayed before anything is drawn.
#pragma once

#include <filesystem>
#include <qkvet/campaign/counterexample.hpp>
#include <qkvet/report/report.hpp>
#include <string>
#include <vector>

namespace qkvet {

struct CorpusCase {
  std::string source;  ///< path inside the corpus
  Counterexample example;
};

struct Corpus {
  std::vector<CorpusCase> cases;
  std::vector<Trouble> bad;  ///< files that could not be read: named, counted, the rest runs
};

/// All files `**/*.case` below `folder`, those below `regressions/` first, else by name. Links to
/// folders are not followed. InputError(missing_input) if `folder` is no folder.
[[nodiscard]] Corpus read_corpus(const std::filesystem::path& folder);

}  // namespace qkvet
