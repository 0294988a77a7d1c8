#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/campaign/recorder.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/text.hpp>

namespace qkvet {
namespace {

// Counts of the loop; none of them is a tolerance.
constexpr int redraws_per_case = 20;     // Vacuous, refused or not applying: draw again.
constexpr int fruitless_in_a_row = 400;  // Then the property does not fit the candidate.
constexpr std::int64_t distinct_findings = 3;
constexpr std::int64_t most_failures = 25;
constexpr std::int64_t most_work = std::int64_t{1} << 60;

std::uint64_t stream_of(std::string_view name, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a: a property's cases depend on its name only.
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return mix(hash ^ mix(seed));
}

template <typename Item>
Item& named(std::vector<Item>& items, std::string_view name) {
  for (Item& item : items) {
    if (item.name == name) return item;
  }
  items.emplace_back().name = name;
  return items.back();
}

/// A corpus case is for the property that its file names and for matches-reference.
bool is_for(const CorpusCase& item, const Property& property) {
  const auto named_there = item.example.about.find("property");
  const bool named =
      named_there != item.example.about.end() && named_there->second == property.name;
  return named || property.name == "matches-reference";
}

/// A format that the candidate takes, and how the current property has fared in it.
struct Candidacy {
  Format format;
  Terms terms;
  std::int64_t failures = 0, distinct = 0;
  std::int64_t hard = 0;  // Crashes and time-outs: dear ones.

  /// Enough is known: the other formats get the rest of the cases.
  [[nodiscard]] bool ended() const {
    return distinct >= distinct_findings || failures >= most_failures || hard >= distinct_findings;
  }
};

class Loop {
 public:
  Loop(Candidate& candidate, const CampaignOptions& options)
      : candidate_(candidate), options_(options), recorder_(candidate, options, report_) {}

  Report run() {
    begin();
    replay();
    for (const Property* property : options_.properties) {
      if (over()) break;
      draw_cases(*property, named(report_.properties, property->name));
    }
    report_.interrupted = interrupted_;
    return std::move(report_);
  }

 private:
  void begin();
  void replay();
  void draw_cases(const Property& property, PropertyResult& result);
  bool one_case(const Property& property, PropertyResult& result, std::uint64_t seed);
  bool consider(const Problem& problem, const Property& property, PropertyResult& result,
                Candidacy& format, std::string_view stratum);
  bool judge(const Problem& problem, const Property& property, PropertyResult& result,
             Candidacy& format, std::string_view stratum);
  void count(const Problem& problem, const Verdict& verdict, PropertyResult& result,
             std::string_view stratum);
  [[nodiscard]] std::vector<Candidacy*> open_formats();
  void finish(PropertyResult& result) const;
  void trouble(ExitCode code, std::string_view what, const Problem& problem);
  [[nodiscard]] bool over() const {
    return interrupted_ || broken_ || (options_.stop_first && failed_ > 0);
  }
  void show(std::string_view property) const;

  Candidate& candidate_;
  const CampaignOptions& options_;
  Report report_;  // Before the recorder, which holds a reference to it.
  Recorder recorder_;
  std::vector<Candidacy> formats_;
  std::int64_t planned_ = 0, done_ = 0, failed_ = 0;
  double worst_ = 0;
  bool interrupted_ = false;
  bool broken_ = false;  // An error of ours or an unusable candidate: the report so far is kept.
};

/// The profile's budget holds unless somebody named one. A domain whose smallest real shape costs more (long
/// fixed extents) gets what that shape costs, with room for the features: else only empty problems are left.
void set_work_budget(Domain& domain, const Profile& profile) {
  if (domain.work_budget < std::numeric_limits<std::int64_t>::max()) return;
  domain.work_budget = std::max(profile.work_budget, 4 * std::min(least_work(domain), most_work));
}

void Loop::begin() {
  report_.command = options_.command;
  report_.candidate = options_.candidate.empty() ? candidate_.name() : options_.candidate;
  report_.isolation = candidate_.isolation();
  report_.profile = options_.cases ? fmt::format("{} cases", *options_.cases)
                                   : std::string(options_.profile.name);
  report_.seed = options_.seed;
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
    PropertyResult& result = named(report_.properties, property->name);
    result.selected = options_.selected;
    planned_ += options_.cases.value_or(cases_of(options_.profile, *property));
  }
  for (const Stratum& stratum : strata()) named(report_.strata, stratum.name);
}

void Loop::replay() {
  for (const CorpusCase& item : options_.corpus.cases) {
    const Problem& problem = item.example.problem;
    const auto format = std::find_if(formats_.begin(), formats_.end(), [&](const Candidacy& c) {
      return c.format == problem.format;
    });
    for (const Property* property : options_.properties) {
      if (over()) return;
      if (!options_.replay_all && !is_for(item, *property)) continue;
      PropertyResult& result = named(report_.properties, property->name);
      if (format == formats_.end()) {
        result.last_refusal = "the candidate does not take this storage format";
      } else if (options_.replay_all || !outside(format->terms.domain, problem)) {
        if (consider(problem, *property, result, *format, "corpus")) ++report_.corpus_cases;
      }
    }
  }
}

void Loop::draw_cases(const Property& property, PropertyResult& result) {
  const std::int64_t wanted = options_.cases.value_or(cases_of(options_.profile, property));
  const std::uint64_t stream = stream_of(property.name, options_.seed);
  for (Candidacy& format : formats_) format.failures = format.distinct = format.hard = 0;
  int fruitless = 0;
  for (std::int64_t n = 0; n < wanted && !over() && !open_formats().empty(); ++n) {
    bool accepted = false;
    for (int redraw = 0; redraw < redraws_per_case && !accepted && !over(); ++redraw) {
      const std::uint64_t place =
          static_cast<std::uint64_t>(n) * redraws_per_case + static_cast<std::uint64_t>(redraw);
      accepted = one_case(property, result, mix(stream + place));
      fruitless = accepted ? 0 : fruitless + 1;
    }
    ++done_;
    show(property.name);
    if (fruitless >= fruitless_in_a_row) {
      result.stopped = fmt::format("gave up after {} draws in a row without a case", fruitless);
      return;
    }
  }
  finish(result);
}

std::vector<Candidacy*> Loop::open_formats() {
  std::vector<Candidacy*> open;
  for (Candidacy& format : formats_) {
    if (!format.ended()) open.push_back(&format);
  }
  return open;
}

void Loop::finish(PropertyResult& result) const {
  for (const Candidacy& format : formats_) {
    if (!format.ended()) continue;
    if (!result.stopped.empty()) result.stopped += ", ";
    result.stopped += fmt::format("{} ended after {} failures, {} different",
                                  info(format.format).name, format.failures, format.distinct);
  }
}

bool Loop::one_case(const Property& property, PropertyResult& result, std::uint64_t seed) {
  Choices choices = Choices::from_seed(seed);
  const std::vector<Candidacy*> open = open_formats();
  Candidacy& format = *open[choices.below(open.size())];
  Drawn drawn = draw(choices, format.terms.domain);
  if (property.prepare != nullptr) {
    Problem prepared = drawn.problem;
    property.prepare(prepared, mix(seed));
    if (!outside(format.terms.domain, prepared)) drawn.problem = std::move(prepared);
  }
  return consider(drawn.problem, property, result, format, drawn.stratum);
}

/// True if the case counts: the property applies, the candidate accepts, there is power.
bool Loop::consider(const Problem& problem, const Property& property, PropertyResult& result,
                    Candidacy& format, std::string_view stratum) {
  if (const auto reason = property.applies(problem, format.terms.contract)) {
    ++result.not_applying;
    if (result.refused + result.vacuous == 0) result.last_refusal = *reason;
    return false;
  }
  try {
    return judge(problem, property, result, format, stratum);
  } catch (const OracleDisagreement& error) {
    trouble(ExitCode::internal, error.what(), problem);
  } catch (const InputError& error) {
    trouble(error.code(), error.what(), problem);
  }
  return false;
}

bool Loop::judge(const Problem& problem, const Property& property, PropertyResult& result,
                 Candidacy& format, std::string_view stratum) {
  const Terms& terms = format.terms;
  const Verdict verdict =
      examine(problem, property, candidate_, terms.contract, ExamineOptions{options_.cross_check});
  if (options_.stopped && options_.stopped()) {
    // The signal may have hit the worker too: what it did then is no evidence.
    interrupted_ = true;
    return false;
  }
  count(problem, verdict, result, stratum);
  if (const auto* fail = std::get_if<Fail>(&verdict)) {
    const std::string& label = fail->finding.label;
    if (label == "crash" || label == "timeout") ++format.hard;
    ++format.failures;
    ++failed_;
    if (recorder_.fail(problem, property, fail->finding, terms, stratum, result.accepted())) {
      ++format.distinct;
    }
    if (options_.stopped && options_.stopped()) interrupted_ = true;
  } else if (const auto* suspect = std::get_if<Suspect>(&verdict)) {
    recorder_.suspect(problem, property, suspect->finding, terms, stratum, result.accepted());
  }
  return !std::holds_alternative<Refused>(verdict) && !std::holds_alternative<Vacuous>(verdict);
}

void Loop::trouble(ExitCode code, std::string_view what, const Problem& problem) {
  const std::string text = write_case(problem);
  const std::string which = text.size() < 2000 ? text : "digest " + digest(problem);
  report_.troubles.push_back({code, fmt::format("{} (while examining {})", what, which)});
  broken_ = true;
}

void Loop::count(const Problem& problem, const Verdict& verdict, PropertyResult& result,
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

void Loop::show(std::string_view property) const {
  if (options_.progress) options_.progress({property, done_, planned_, failed_, worst_});
}

}  // namespace

Report run_campaign(Candidate& candidate, const CampaignOptions& options) {
  return Loop(candidate, options).run();
}

}  // namespace qkvet
