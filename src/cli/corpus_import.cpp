// `qkvet corpus import`: findings, fuzz inputs and case texts into a corpus, each with its
// provenance.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <qkvet/campaign/store.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/text.hpp>
#include <qkvet/report/writers.hpp>

#include "cli/corpus.hpp"
#include "cli/session.hpp"

namespace qkvet::cli {
namespace {

namespace fs = std::filesystem;

using Wishes = std::vector<CorpusCase>;

/// Of a folder of findings the minimal ones: the raw ones are what they were minimised from.
void take_folder(const fs::path& folder, Wishes& wishes, Corpus& bad) {
  Corpus found = read_corpus(folder);
  for (CorpusCase& item : found.cases) {
    if (item.source.ends_with(".raw.case")) continue;
    item.source = (folder / item.source).string();
    wishes.push_back(std::move(item));
  }
  std::move(found.bad.begin(), found.bad.end(), std::back_inserter(bad.bad));
}

void take_file(const std::string& path, const std::optional<std::string>& where, Wishes& wishes) {
  const std::string text = read_file(path);
  const bool has_lines =
      text.find('\n') != text.npos;  // A case file; bytes of a case are one line.
  if (is_case_text(text) && has_lines) {
    wishes.push_back({path, read_counterexample(text, path)});
  } else if (path.ends_with(".case")) {
    wishes.push_back({path, read_counterexample(text, path)});
  } else {
    wishes.push_back({path, {case_in_bytes(text, path, where), {}}});
  }
}

Wishes take(const CorpusTool& options, Corpus& bad) {
  Wishes wishes;
  for (const std::string& source : options.sources) {
    std::error_code ignored;
    try {
      if (is_case_text(source)) {
        wishes.push_back({"qk1:", {read_case(source, "case"), {}}});
      } else if (fs::is_directory(source, ignored)) {
        take_folder(source, wishes, bad);
      } else {
        take_file(source, options.where, wishes);
      }
    } catch (const InputError& error) {
      if (error.code() != ExitCode::bad_data) throw;
      bad.bad.push_back({error.code(), error.what()});
    }
  }
  return wishes;
}

/// "found by qkvet 0.1.0 on ./x.so: wrong at ...": what a saved finding says of itself, or "".
std::string own_provenance(const std::map<std::string, std::string>& about) {
  const auto finding = about.find("finding"), candidate = about.find("candidate");
  if (finding == about.end() || candidate == about.end()) return "";
  const auto version = about.find("qkvet");
  return fmt::format("found by qkvet {} on {}: {}", version == about.end() ? "" : version->second,
                     candidate->second, finding->second);
}

/// Asks on a terminal; nobody there: a usage error.
std::string asked_provenance(const CorpusCase& wish) {
  if (isatty(STDIN_FILENO) == 1) {
    fmt::print(stderr, "{}: what failed, and where was it reported? ", printable(wish.source));
    std::string answer;
    std::getline(std::cin, answer);
    if (!answer.empty()) return answer;
  }
  throw InputError(ExitCode::usage,
                   fmt::format("{}: its provenance is due: --provenance \"owner/name#12: what goes "
                               "wrong\" (or --reason, if it stands for no bug)",
                               wish.source));
}

void complete(CorpusCase& wish, const CorpusTool& options) {
  auto& about = wish.example.about;
  const auto set = [&](const char* key, const std::optional<std::string>& value) {
    if (value) about[key] = *value;
  };
  set("property", options.property);
  set("reason", options.reason);
  set("provenance", options.provenance);
  if (!about["provenance"].empty() || !about["reason"].empty()) {
    std::erase_if(about, [](const auto& entry) { return entry.second.empty(); });
    return;
  }
  about.erase("reason");
  const std::string own = own_provenance(about);
  about["provenance"] = own.empty() ? asked_provenance(wish) : own;
}

std::string name_of(const CorpusCase& wish, const std::optional<std::string>& name) {
  if (name) return *name + ".case";
  const std::string property = property_of(wish);
  return fmt::format("{}-{}.case", property.empty() ? "case" : property,
                     digest(wish.example.problem));
}

void check_options(const CorpusTool& options, std::size_t wishes) {
  if (options.property) (void)open_properties({*options.property});
  if (!options.name) return;
  if (wishes > 1) {
    throw InputError(ExitCode::usage,
                     fmt::format("--name '{}': there are {} cases; one name is for one case",
                                 *options.name, wishes));
  }
  if (options.name->empty() || options.name->find('/') != std::string::npos) {
    throw InputError(ExitCode::usage,
                     fmt::format("--name '{}': a file name, without a folder", *options.name));
  }
}

/// What the corpus holds already: digest of the problem -> file.
std::map<std::string, std::string> known_cases(const fs::path& folder, Corpus& bad) {
  std::map<std::string, std::string> known;
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return known;
  const Corpus corpus = read_corpus(folder);
  for (const CorpusCase& item : corpus.cases) {
    known.emplace(digest(item.example.problem), item.source);
  }
  bad.bad.insert(bad.bad.end(), corpus.bad.begin(), corpus.bad.end());
  return known;
}

}  // namespace

int import_corpus(const CorpusTool& options) {
  Corpus bad;
  Wishes wishes = take(options, bad);
  check_options(options, wishes.size());
  const fs::path folder = options.target;
  std::map<std::string, std::string> known = known_cases(folder, bad);
  std::vector<std::pair<std::string, const CorpusCase*>> fresh;
  std::size_t twice = 0;
  for (CorpusCase& wish : wishes) {
    const std::string name = name_of(wish, options.name);
    const auto [place, added] = known.emplace(digest(wish.example.problem), name);
    if (!added) {
      fmt::print("known  {} is {}\n", printable(wish.source), printable(place->second));
      ++twice;
      continue;
    }
    complete(wish, options);
    std::error_code ignored;
    if (fs::exists(folder / name, ignored)) {
      throw InputError(ExitCode::cannot_create,
                       fmt::format("{}: it exists and holds another case; give another --name",
                                   (folder / name).string()));
    }
    fresh.emplace_back(name, &wish);
  }
  make_folder(folder);
  for (const auto& [name, wish] : fresh) {
    write_durably(folder / name, write_counterexample(wish->example));
    fmt::print("added  {}\n  {}\n", printable((folder / name).string()),
               printable(why_kept(*wish)));
  }
  for (const Trouble& trouble : bad.bad) {
    fmt::print(stderr, "qkvet: set aside: {}\n", printable(trouble.message));
  }
  fmt::print("{} added, {} known, {} set aside\n", fresh.size(), twice, bad.bad.size());
  return options.skip_bad ? static_cast<int>(ExitCode::holds) : after_bad(bad.bad);
}

}  // namespace qkvet::cli
