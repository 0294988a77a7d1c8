// `qkvet corpus min`: the cases of a corpus that are worth their time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/campaign/store.hpp>
#include <qkvet/check/examine.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/simpler.hpp>
#include <qkvet/report/writers.hpp>
#include <set>

#include "cli/cases.hpp"
#include "cli/corpus.hpp"
#include "cli/session.hpp"
#include "properties/registry.hpp"

namespace qkvet::cli {
namespace {

namespace fs = std::filesystem;

void need_empty(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) return;
  if (fs::is_directory(folder, ignored) && fs::is_empty(folder, ignored)) return;
  throw InputError(ExitCode::cannot_create,
                   fmt::format("{}: not an empty folder; name a new one", folder.string()));
}

/// What the candidate shows on the case: one word per property, and the signature of a finding.
std::vector<std::string> verdicts_of(const Problem& problem, Candidate& candidate,
                                     const std::optional<ContractSet>& contracts) {
  const Terms terms = terms_for(problem.format, candidate, contracts, Domain{});
  if (terms.domain.formats.empty() || outside(terms.domain, problem)) return {};
  std::vector<std::string> words;
  for (const Property& property : all_properties()) {
    if (property.applies(problem, terms.contract)) continue;
    const Verdict verdict = examine(problem, property, candidate, terms.contract, ExamineOptions{});
    const Finding* finding = finding_of(verdict);
    words.push_back(fmt::format("{} {} {} {}", info(problem.format).name, property.name,
                                word(verdict), finding != nullptr ? finding->signature() : ""));
  }
  return words;
}

/// Two files that say this alike are one: the case, the property, why it is kept.
std::array<std::string, 3> essence(const CorpusCase& item) {
  return {digest(item.example.problem), property_of(item), why_kept(item)};
}

bool stands_for_a_bug(const CorpusCase& item) { return item.example.about.count("provenance") > 0; }

}  // namespace

int minimise_corpus(const CorpusTool& options) {
  const fs::path from = options.sources.at(0), target = options.target;
  need_empty(target);
  const auto contracts = open_contracts(options.candidate.contract);
  std::unique_ptr<Candidate> candidate;
  if (!options.candidate.spec.empty()) candidate = open_candidate(options.candidate);
  Corpus corpus = read_corpus(from);
  std::vector<CorpusCase>& cases = corpus.cases;
  std::stable_sort(cases.begin(), cases.end(), [](const CorpusCase& a, const CorpusCase& b) {
    if (stands_for_a_bug(a) != stands_for_a_bug(b)) return stands_for_a_bug(a);
    return compare_complexity(a.example.problem, b.example.problem) < 0;
  });
  make_folder(target);
  std::set<std::string> seen;
  std::set<std::array<std::string, 3>> known;
  std::size_t kept = 0;
  for (const CorpusCase& item : cases) {
    if (!known.insert(essence(item)).second) continue;
    const Problem& problem = item.example.problem;
    std::vector<std::string> classes = classes_of(problem);
    if (candidate) {
      const auto shown = verdicts_of(problem, *candidate, contracts);
      classes.insert(classes.end(), shown.begin(), shown.end());
    }
    std::size_t added = 0;
    for (std::string& one : classes) added += seen.insert(std::move(one)).second ? 1 : 0;
    if (added == 0 && !stands_for_a_bug(item)) continue;
    make_folder((target / item.source).parent_path());
    write_durably(target / item.source, write_counterexample(item.example));
    fmt::print("kept   {}: {} new classes\n", printable(item.source), added);
    ++kept;
  }
  fmt::print("{} of {} cases kept in {}; {} classes; {} set aside\n", kept, cases.size(),
             printable(target.string()), seen.size(), corpus.bad.size());
  set_aside(corpus, options.skip_bad);
  return after_bad(corpus.bad);
}

}  // namespace qkvet::cli
