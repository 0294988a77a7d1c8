// `qkvet corpus convert`: case files to the inputs of fuzz engines, and back.
#include <fmt/format.h>

#include <algorithm>
#include <qkvet/campaign/store.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/report/writers.hpp>
#include <set>

#include "cli/corpus.hpp"
#include "cli/session.hpp"

namespace qkvet::cli {
namespace {

namespace fs = std::filesystem;

/// One converted file: its name in the folder that is written.
struct Made {
  std::string name;
  std::string contents;
};

/// Engines want one flat folder: "regressions/a.case" becomes "regressions_a".
std::string flat_name(fs::path inside) {
  std::string name = inside.extension() == ".case" ? inside.replace_extension().generic_string()
                                                   : inside.generic_string();
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

Made as_bytes(const CorpusCase& item) {
  return {flat_name(item.source), to_bytes(item.example.problem)};
}

Made as_text(const fs::path& file, const std::string& name,
             const std::optional<std::string>& where) {
  const Problem problem = case_in_bytes(read_file(file), file.string(), where);
  return {flat_name(name) + ".case", write_counterexample({problem, {{"from", name}}})};
}

Corpus read_cases(const fs::path& from) {
  std::error_code ignored;
  if (fs::is_directory(from, ignored)) return read_corpus(from);
  Corpus one;
  try {
    one.cases.push_back(
        {from.filename().string(), read_counterexample(read_file(from), from.string())});
  } catch (const InputError& error) {
    if (error.code() != ExitCode::bad_data) throw;
    one.bad.push_back({error.code(), error.what()});
  }
  return one;
}

/// Every input that can be read, as text; what cannot joins `bad`.
std::vector<Made> all_as_text(const CorpusTool& options, const fs::path& from, Corpus& bad) {
  std::error_code ignored;
  const bool folder = fs::is_directory(from, ignored);
  std::vector<Made> made;
  for (const fs::path& file : folder ? files_below(from) : std::vector<fs::path>{from}) {
    const fs::path inside = folder ? file.lexically_relative(from) : file.filename();
    try {
      made.push_back(as_text(file, inside.generic_string(), options.where));
    } catch (const InputError& error) {
      if (error.code() != ExitCode::bad_data) throw;
      bad.bad.push_back({error.code(), error.what()});
    }
  }
  return made;
}

/// Two files of one name would become one: said before anything is written.
void need_different_names(const std::vector<Made>& made) {
  std::set<std::string> names;
  for (const Made& one : made) {
    if (names.insert(one.name).second) continue;
    throw InputError(ExitCode::bad_data,
                     fmt::format("two files would both be written as '{}'; rename one", one.name));
  }
}

}  // namespace

int convert_corpus(const CorpusTool& options) {
  const fs::path from = options.sources.at(0), target = options.target;
  Corpus corpus;
  std::vector<Made> made;
  if (options.to == "bytes") {
    corpus = read_cases(from);
    std::transform(corpus.cases.begin(), corpus.cases.end(), std::back_inserter(made), as_bytes);
  } else {
    made = all_as_text(options, from, corpus);
  }
  need_different_names(made);
  std::error_code ignored;
  const bool into_file = !fs::is_directory(from, ignored) && !fs::is_directory(target, ignored);
  if (!into_file) make_folder(target);
  for (const Made& one : made) {
    write_durably(into_file ? target : target / one.name, one.contents);
  }
  fmt::print("{} files to {}, {} set aside\n", made.size(), printable(target.string()),
             corpus.bad.size());
  for (const Trouble& bad : corpus.bad) {
    fmt::print(stderr, "qkvet: set aside: {}\n", printable(bad.message));
  }
  return options.skip_bad ? static_cast<int>(ExitCode::holds) : after_bad(corpus.bad);
}

}  // namespace qkvet::cli
