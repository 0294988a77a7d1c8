// `qkvet repro`: one case again on a candidate, or what the case expects of any candidate.
#include <fmt/format.h>

#include <limits>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/check/examine.hpp>
#include <qkvet/report/writers.hpp>

#include "cli/cases.hpp"
#include "cli/commands.hpp"
#include "cli/session.hpp"

namespace qkvet::cli {
namespace {

constexpr std::size_t most_lines = 64;  // Of expected values; the rest is counted.

void print_places(const std::vector<Place>& places, const Shape& shape, bool lse) {
  const std::int64_t columns = lse ? 1 : shape.d_v;
  for (std::size_t n = 0; n < places.size() && n < most_lines; ++n) {
    const auto place = static_cast<std::int64_t>(n);
    const std::int64_t row = place / columns;
    const PlaceIndex index{row / (shape.L * shape.H_q), row / shape.L % shape.H_q, row % shape.L,
                           lse ? -1 : place % columns};
    fmt::print(" {} exact [{}, {}], allowed {}\n", describe_place(index), places[n].exact.lo,
               places[n].exact.hi, describe_allowed(places[n]));
  }
  if (places.size() > most_lines) fmt::print(" ... {} more\n", places.size() - most_lines);
}

int print_expected(const Repro& options, const Problem& problem) {
  const Contract contract = contract_at(problem.format, options.candidate.contract);
  const Admissible admissible = admit(problem, contract, Rung::arb);
  fmt::print("{}\n under contract {}/{}{}:\n", describe_shape(problem), contract.name,
             contract.version, contract.assumed ? " (assumed)" : "");
  print_places(admissible.o, problem.shape, false);
  print_places(admissible.lse, problem.shape, true);
  return static_cast<int>(ExitCode::holds);
}

/// The properties to run: asked for, else named in the file, else all that apply.
std::vector<const Property*> wanted_properties(const Repro& options,
                                               const Counterexample& example) {
  if (!options.properties.empty()) return open_properties(options.properties);
  const auto named = example.about.find("property");
  if (named != example.about.end()) return open_properties({named->second});
  return open_properties({});
}

/// Only properties that looked at the case; if none did, one that says why.
void keep_what_ran(std::vector<PropertyResult>& properties) {
  std::vector<PropertyResult> kept;
  for (const PropertyResult& result : properties) {
    if (result.accepted() + result.refused + result.vacuous > 0) kept.push_back(result);
  }
  for (const PropertyResult& result : properties) {
    if (!kept.empty()) break;
    if (result.last_refusal.empty()) continue;
    kept.push_back(result);
    kept.back().selected = true;  // Reported as not tested, with its reason.
  }
  properties = std::move(kept);
}

}  // namespace

int run(const Repro& options) {
  const Counterexample example = open_case(options.problem);
  need_criterion(options.criteria);
  if (options.candidate.spec.empty() && options.criteria.wanted()) {
    throw InputError(ExitCode::usage, "--criteria: there is nothing to judge without a candidate");
  }
  if (options.candidate.spec.empty()) return print_expected(options, example.problem);
  CampaignOptions campaign;
  campaign.profile = {"repro", 0, 0, std::numeric_limits<std::int64_t>::max(),
                      ""};  // Nothing is drawn: only the case below is replayed.
  campaign.properties = wanted_properties(options, example);
  campaign.selected = !options.properties.empty();
  campaign.replay_all = true;
  campaign.domain.formats = {example.problem.format};
  campaign.contracts = open_contracts(options.candidate.contract);
  need_format(campaign.contracts, {example.problem.format}, "this case is");
  campaign.corpus.cases = {{options.problem, example}};
  campaign.cross_check = CrossCheck::always;
  campaign.minimise.calls = 0;
  campaign.candidate = options.candidate.spec;
  campaign.command = options.command;
  campaign.repro_flags = repro_flags(options.candidate);
  const std::unique_ptr<Candidate> plain = use_criteria(campaign, options.criteria);
  const std::unique_ptr<Candidate> candidate = open_candidate(options.candidate);
  Report report = run_campaign(*candidate, campaign);
  if (!campaign.selected) keep_what_ran(report.properties);
  for (FindingRecord& record : report.findings) record.repro = options.command;
  fmt::print("{}", write_text(report));
  return static_cast<int>(exit_code(report));
}

}  // namespace qkvet::cli
