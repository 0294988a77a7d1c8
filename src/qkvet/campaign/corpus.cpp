#include <fmt/format.h>

#include <algorithm>
#include <qkvet/campaign/corpus.hpp>
#include <qkvet/campaign/store.hpp>

namespace qkvet {

namespace fs = std::filesystem;

Corpus read_corpus(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    throw InputError(ExitCode::missing_input,
                     fmt::format("--corpus {}: no such folder", folder.string()));
  }
  std::vector<fs::path> paths;
  for (auto entry = fs::recursive_directory_iterator(
           folder, fs::directory_options::skip_permission_denied, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (entry->path().extension() == ".case" && entry->is_regular_file(error)) {
      paths.push_back(fs::relative(entry->path(), folder, error));
    }
  }
  const auto rank = [](const fs::path& path) { return *path.begin() == "regressions" ? 0 : 1; };
  std::sort(paths.begin(), paths.end(), [&](const fs::path& a, const fs::path& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : a.generic_string() < b.generic_string();
  });
  Corpus corpus;
  for (const fs::path& path : paths) {
    const std::string source = (folder / path).string();
    try {
      corpus.cases.push_back(
          {path.generic_string(), read_counterexample(read_file(source), source)});
    } catch (const InputError& bad) {
      corpus.bad.push_back({bad.code(), bad.what()});
    }
  }
  return corpus;
}

}  // namespace qkvet
