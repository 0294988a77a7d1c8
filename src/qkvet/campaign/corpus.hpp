// Cases kept from earlier: replayed before anything is drawn.
#pragma once

#include <filesystem>
#include <qkvet/campaign/counterexample.hpp>
#include <qkvet/problem/domain.hpp>
#include <qkvet/report/report.hpp>
#include <string>
#include <string_view>
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

/// All files `**/*.case` below `folder`, those below `regressions/` first, else by name, but for
/// those below `fuzz/`, which are inputs of fuzz targets. Links to folders are not followed. A file
/// of another version, with a wrong checksum or without the end of its last line (truncated) is
/// bad. InputError(missing_input) if `folder` is no folder.
[[nodiscard]] Corpus read_corpus(const std::filesystem::path& folder);

/// Several corpora in order; a problem kept twice for the same property is taken once.
[[nodiscard]] Corpus read_corpora(const std::vector<std::filesystem::path>& folders);

/// The property that the file names, or "".
[[nodiscard]] std::string property_of(const CorpusCase& item);

/// A case is replayed for the property that its file names, and for matches-reference.
[[nodiscard]] bool is_for(const CorpusCase& item, std::string_view property);

/// True if the file says "profile: ci": too dear for a first look (smoke).
[[nodiscard]] bool is_dear(const CorpusCase& item);

/// Why the case is kept: its provenance, else its reason, else "".
[[nodiscard]] std::string why_kept(const CorpusCase& item);

/// A fuzz input that means `problem`: its case text, one line. from_bytes gives it back, bit for
/// bit.
[[nodiscard]] std::string to_bytes(const Problem& problem);

/// True if a fuzz input is a case text; all other bytes are a stream of choices.
[[nodiscard]] bool is_case_text(std::string_view bytes);

/// What a fuzz input means: the case that it spells, else what `draw` makes of its bytes inside
/// `domain` (another domain is another problem). InputError(bad_data) for a malformed case text.
[[nodiscard]] Problem from_bytes(std::string_view bytes, const Domain& domain,
                                 std::string_view source);

/// What a case exercises, one word each: format, extents (0, 1, more, at the border of tiles of
/// 16, 32 and 64), features and every pair of them, broadcast forms, layouts, classes of values.
[[nodiscard]] std::vector<std::string> classes_of(const Problem& problem);

}  // namespace qkvet
