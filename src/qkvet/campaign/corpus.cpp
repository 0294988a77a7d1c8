#include <fmt/format.h>

#include <algorithm>
#include <qkvet/campaign/corpus.hpp>
#include <qkvet/campaign/fuzz_input.hpp>
#include <qkvet/campaign/store.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/text.hpp>
#include <set>
#include <utility>

namespace qkvet {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view text_prefix = "qk1:";

Counterexample read_kept(const fs::path& path) {
  const std::string text = read_file(path);
  if (text.empty() || text.back() != '\n') {
    throw InputError(ExitCode::bad_data,
                     fmt::format("{}: its last line has no end: truncated?", path.string()));
  }
  return read_counterexample(text, path.string());
}

std::string value_of(const CorpusCase& item, const char* key) {
  const auto found = item.example.about.find(key);
  return found == item.example.about.end() ? "" : found->second;
}

}  // namespace

Corpus read_corpus(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw InputError(ExitCode::missing_input,
                     fmt::format("corpus '{}': no such folder", folder.string()));
  }
  std::vector<fs::path> paths;
  for (auto entry = fs::recursive_directory_iterator(
           folder, fs::directory_options::skip_permission_denied, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() != ".case" || !entry->is_regular_file(error)) continue;
    const fs::path inside = fs::relative(entry->path(), folder, error);
    if (*inside.begin() != "fuzz") paths.push_back(inside);  // Inputs of parsers, bad on purpose.
  }
  const auto rank = [](const fs::path& path) { return *path.begin() == "regressions" ? 0 : 1; };
  std::sort(paths.begin(), paths.end(), [&](const fs::path& a, const fs::path& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : a.generic_string() < b.generic_string();
  });
  Corpus corpus;
  for (const fs::path& path : paths) {
    try {
      corpus.cases.push_back({path.generic_string(), read_kept(folder / path)});
    } catch (const InputError& bad) {
      corpus.bad.push_back({bad.code(), bad.what()});
    }
  }
  return corpus;
}

Corpus read_corpora(const std::vector<fs::path>& folders) {
  Corpus all;
  std::set<std::pair<std::string, std::string>> seen;
  for (const fs::path& folder : folders) {
    Corpus corpus = read_corpus(folder);
    for (CorpusCase& item : corpus.cases) {
      if (!seen.emplace(digest(item.example.problem), property_of(item)).second) continue;
      all.cases.push_back(std::move(item));
    }
    std::move(corpus.bad.begin(), corpus.bad.end(), std::back_inserter(all.bad));
  }
  return all;
}

std::string property_of(const CorpusCase& item) { return value_of(item, "property"); }

bool is_for(const CorpusCase& item, std::string_view property) {
  return property == "matches-reference" || property_of(item) == property;
}

bool is_dear(const CorpusCase& item) { return value_of(item, "profile") == "ci"; }

std::string why_kept(const CorpusCase& item) {
  const std::string provenance = value_of(item, "provenance");
  return provenance.empty() ? value_of(item, "reason") : provenance;
}

std::string to_bytes(const Problem& problem) { return write_case(problem); }

bool is_case_text(std::string_view bytes) { return bytes.starts_with(text_prefix); }

Problem from_bytes(std::string_view bytes, const Domain& domain, std::string_view source) {
  if (is_case_text(bytes)) return read_case(bytes, source);
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const FuzzInput parts = from_fuzz_bytes({first, bytes.size()});
  Choices choices = Choices::from_parts(parts);
  return draw(choices, domain).problem;
}

}  // namespace qkvet
