// `qkvet corpus`: what a corpus holds; its other actions are in their own sources.
#include "cli/corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/report/writers.hpp>

#include "cli/cases.hpp"
#include "cli/commands.hpp"
#include "cli/paths.hpp"

namespace qkvet::cli {
namespace {

namespace fs = std::filesystem;

int list_corpus(const CorpusTool& options) {
  const fs::path folder = options.sources.empty() ? corpus_folder() : fs::path(options.sources[0]);
  Corpus corpus = read_corpus(folder);
  for (const CorpusCase& item : corpus.cases) {
    const Problem& problem = item.example.problem;
    fmt::print("{}  {}\n  {}\n", digest(problem), printable(item.source), describe_shape(problem));
    const std::string property = property_of(item), why = why_kept(item);
    if (!property.empty()) fmt::print("  property {}\n", printable(property));
    if (!why.empty()) fmt::print("  {}\n", printable(why));
  }
  fmt::print("{} cases in {}, {} set aside\n", corpus.cases.size(), printable(folder.string()),
             corpus.bad.size());
  set_aside(corpus, options.skip_bad);
  return after_bad(corpus.bad);
}

}  // namespace

Problem case_in_bytes(const std::string& bytes, const std::string& source,
                      const std::optional<std::string>& where) {
  if (!where && !is_case_text(bytes)) {
    throw InputError(
        ExitCode::usage,
        fmt::format("{}: bytes that are no qk1: text are choices, and mean a case only "
                    "in the domain of their fuzz target: give it as --where \"L<=8,"
                    "S<=8\", or --where '' if it has no limits",
                    source));
  }
  const Domain domain = where && !where->empty() ? narrow(Domain{}, *where) : Domain{};
  return from_bytes(bytes, domain, source);
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  if (error) {
    throw InputError(ExitCode::missing_input, fmt::format("{}: cannot read the folder: {}",
                                                          folder.string(), error.message()));
  }
  std::sort(files.begin(), files.end());
  return files;
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder, error)) {
    throw InputError(ExitCode::cannot_create,
                     fmt::format("{}: cannot create the folder: {}", folder.string(),
                                 error ? error.message() : "there is a file of that name"));
  }
}

int after_bad(const std::vector<Trouble>& bad) {
  return static_cast<int>(bad.empty() ? ExitCode::holds : ExitCode::bad_data);
}

int run(const CorpusTool& options) {
  if (options.action == "convert") return convert_corpus(options);
  if (options.action == "import") return import_corpus(options);
  if (options.action == "min") return minimise_corpus(options);
  return list_corpus(options);
}

}  // namespace qkvet::cli
