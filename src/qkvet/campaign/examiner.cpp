#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <qkvet/campaign/examiner.hpp>
#include <qkvet/campaign/rulings.hpp>
#include <qkvet/check/suspicion.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/text.hpp>
#include <qkvet/report/writers.hpp>

namespace qkvet {
namespace {

// Counts, none of them a tolerance.
constexpr std::int64_t distinct_findings = 3;
constexpr std::int64_t most_failures = 25;
constexpr std::int64_t most_work = std::int64_t{1} << 60;

template <typename Item>
Item& named(std::vector<Item>& items, std::string_view name) {
  for (Item& item : items) {
    if (item.name == name) return item;
  }
  items.emplace_back().name = name;
  return items.back();
}

/// The profile's budget holds unless somebody named one. A domain whose smallest real shape costs
/// more (long fixed extents) gets what that shape costs, with room for the features: else only
/// empty problems are left.
void set_work_budget(Domain& domain, const Profile& profile) {
  if (domain.work_budget < std::numeric_limits<std::int64_t>::max()) return;
  domain.work_budget = std::max(profile.work_budget, 4 * std::min(least_work(domain), most_work));
}

/// Not so once new values no longer agree along a stride of 0.
bool is_valid(const Problem& problem) {
  try {
    validate(problem);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

bool Candidacy::ended() const {
  return distinct >= distinct_findings || failures >= most_failures || hard >= distinct_findings;
}

bool is_accepted(const Verdict& verdict) {
  return !std::holds_alternative<Refused>(verdict) && !std::holds_alternative<Vacuous>(verdict);
}

Examiner::Examiner(Candidate& candidate, const CampaignOptions& options, Report& report)
    : candidate_(candidate),
      options_(options),
      report_(report),
      recorder_(candidate, options, report) {
  report_.command = options_.command;
  report_.candidate = options_.candidate.empty() ? candidate_.name() : options_.candidate;
  report_.isolation = candidate_.isolation();
  report_.seed = options_.seed;
  report_.gate = options_.criterion;
  report_.troubles = options_.corpus.bad;
  for (const Format format : options_.domain.formats) {
    Terms terms = terms_for(format, candidate_, options_.contracts, options_.domain);
    if (terms.domain.formats.empty()) continue;
    set_work_budget(terms.domain, options_.profile);
    const Contract& contract = terms.contract;
    report_.contracts.push_back({std::string(info(format).name), contract.name, digest(contract),
                                 contract.source, contract.version, contract.assumed,
                                 contract.assumed_fields});
    formats_.push_back({format, std::move(terms)});
  }
  for (const Property* property : options_.properties) {
    result_of(*property).selected = options_.selected;
  }
  for (const Stratum& stratum : strata()) named(report_.strata, stratum.name);
}

Candidacy* Examiner::at(Format format) {
  for (Candidacy& candidacy : formats_) {
    if (candidacy.format == format) return &candidacy;
  }
  return nullptr;
}

PropertyResult& Examiner::result_of(const Property& property) {
  return named(report_.properties, property.name);
}

bool Examiner::over() const {
  return interrupted_ || broken_ || (options_.stop_first && failed_ > 0);
}

std::optional<Verdict> Examiner::consider(const Problem& problem, const Property& property,
                                          Candidacy& format, std::string_view stratum,
                                          bool as_drawn) {
  PropertyResult& result = result_of(property);
  if (const auto reason = property.applies(problem, format.terms.contract)) {
    ++result.not_applying;
    if (result.refused + result.vacuous == 0) result.last_refusal = *reason;
    return std::nullopt;
  }
  try {
    return judge(problem, property, format, stratum, as_drawn);
  } catch (const OracleDisagreement& error) {
    trouble(ExitCode::internal, error.what(), problem);
  } catch (const InputError& error) {
    trouble(error.code(), error.what(), problem);
  }
  return std::nullopt;
}

std::optional<Verdict> Examiner::judge(const Problem& problem, const Property& property,
                                       Candidacy& format, std::string_view stratum,
                                       bool as_drawn) {
  const Terms& terms = format.terms;
  ExamineOptions how{options_.cross_check};
  if (options_.criteria) {
    how.watch = [this](const Exhibit& exhibit) { count_rulings(report_, exhibit, options_.twin); };
  }
  how.suspects = as_drawn && property.name == "matches-reference" && has_random_values(stratum);
  const Verdict verdict = examine(problem, property, candidate_, terms.contract, how);
  if (options_.stopped && options_.stopped()) {
    // The signal may have hit the worker too: what it did then is no evidence.
    interrupted_ = true;
    return std::nullopt;
  }
  PropertyResult& result = result_of(property);
  count(problem, verdict, result, stratum);
  if (const auto* fail = std::get_if<Fail>(&verdict)) {
    const std::string& label = fail->finding.label;
    if (label == "crash" || label == "timeout") ++format.hard;
    if (!about_a_place(fail->finding)) ++report_.call_failures;
    ++format.failures;
    ++failed_;
    if (recorder_.fail(problem, property, fail->finding, terms, stratum, result.accepted())) {
      ++format.distinct;
    }
    if (options_.stopped && options_.stopped()) interrupted_ = true;
  } else if (const auto* suspect = std::get_if<Suspect>(&verdict)) {
    recorder_.suspect(problem, property, suspect->finding, terms, stratum, result.accepted());
  }
  return verdict;
}

void Examiner::trouble(ExitCode code, std::string_view what, const Problem& problem) {
  const std::string text = write_case(problem);
  const std::string which = text.size() < 2000 ? text : "digest " + digest(problem);
  report_.troubles.push_back({code, fmt::format("{} (while examining {})", what, which)});
  broken_ = true;
}

void Examiner::count(const Problem& problem, const Verdict& verdict, PropertyResult& result,
                     std::string_view stratum) {
  StratumResult& line = named(report_.strata, stratum);
  const bool refused = std::holds_alternative<Refused>(verdict);
  const bool vacuous = std::holds_alternative<Vacuous>(verdict);
  for (const std::string_view feature : features_of(problem)) {
    FeatureCount& feature_count = named(report_.features, feature);
    ++(refused ? feature_count.refused : feature_count.accepted);
  }
  if (const auto* pass = std::get_if<Pass>(&verdict)) {
    ++result.pass;
    result.worst = std::max(result.worst, pass->headroom);
  } else if (const auto* fail = std::get_if<Fail>(&verdict)) {
    ++result.fail;
    result.worst = std::max(result.worst, fail->finding.excess);
  } else if (std::holds_alternative<Suspect>(verdict)) {
    ++result.suspect;
  } else if (std::holds_alternative<Undecided>(verdict)) {
    ++result.undecided;
  } else if (const auto* refusal = std::get_if<Refused>(&verdict)) {
    result.refuse(refusal->reason);
    ++line.refused;
  } else if (const auto* empty = std::get_if<Vacuous>(&verdict)) {
    ++result.vacuous;
    ++line.vacuous;
    report_.set_aside += empty->tally;
    if (result.refused == 0) result.last_refusal = empty->reason;
  }
  if (refused || vacuous) return;
  worst_ = std::max(worst_, result.worst);
  ++line.cases;
  line.tally += tally_of(verdict);
  result.tally += tally_of(verdict);
  report_.across_tile += problem.shape.S > 64 ? 1 : 0;
  report_.long_keys += problem.shape.S >= 512 ? 1 : 0;
}

void prepare(Problem& problem, const Property& property, const Domain& domain, std::uint64_t seed) {
  if (property.prepare == nullptr) return;
  Problem prepared = problem;
  property.prepare(prepared, seed);
  if (!is_valid(prepared)) {
    Layouts& all = prepared.layouts;
    for (Layout* input : {&all.q, &all.k, &all.v, &all.attend, &all.bias}) input->strides.reset();
    if (!is_valid(prepared)) return;
  }
  if (!outside(domain, prepared)) problem = std::move(prepared);
}

}  // namespace qkvet
