#include <fmt/format.h>

#include <algorithm>
#include <qkvet/campaign/examiner.hpp>
#include <qkvet/campaign/fuzz.hpp>
#include <qkvet/campaign/fuzz_graft.hpp>
#include <qkvet/campaign/fuzz_pool.hpp>
#include <qkvet/campaign/fuzz_traits.hpp>
#include <qkvet/num/float_environment.hpp>
#include <qkvet/problem/draw.hpp>

namespace qkvet {
namespace {

// Counts, none of them a tolerance.
constexpr std::int64_t enough_different = 8;   // Findings: the first ones are to be mended now.
constexpr std::int64_t enough_failures = 200;  // More of the same.
constexpr std::int64_t enough_hard = 8;        // Crashes and time-outs, which are dear.
constexpr std::int64_t fruitless_in_a_row = 2000;

/// What a stream of choices stands for: it chooses, in this order, property, format and problem.
struct Case {
  const Property* property = nullptr;
  Candidacy* format = nullptr;
  Problem problem;
  std::string stratum;
};

class Search {
 public:
  Search(Candidate& candidate, const FuzzOptions& options)
      : options_(options),
        properties_(options.campaign.properties),
        examiner_(candidate, options.campaign, result_.report),
        random_(Choices::from_seed(mix(options.campaign.seed))) {}

  FuzzResult run() {
    result_.report.profile = "fuzz";
    replay();
    if (examiner_.formats().empty()) {
      result_.ended = "the candidate takes none of these storage formats";
    } else {
      search();
    }
    update();
    result_.report.interrupted = examiner_.interrupted();
    return std::move(result_);
  }

 private:
  void replay();
  void replay(const CorpusCase& item, const Property& property);
  [[nodiscard]] Domain replayed(const Terms& terms) const;
  void search();
  [[nodiscard]] std::string why_ended(std::int64_t runs, std::int64_t fruitless);
  [[nodiscard]] std::string enough_known();
  [[nodiscard]] FuzzInput next_input();
  [[nodiscard]] std::optional<Case> read(const FuzzInput& input);
  [[nodiscard]] std::optional<Case> graft();
  [[nodiscard]] const Property* property_for(const Problem& problem, const Contract& contract);
  enum class Keep : bool { no, yes };
  bool execute(const Case& now, const FuzzInput& input, Keep on_disk);
  void keep(const Case& now, const FuzzInput& input);
  void update();

  const FuzzOptions& options_;
  const std::vector<const Property*>& properties_;
  FuzzResult result_;  // Before the examiner, which holds a reference to its report.
  Examiner examiner_;
  Choices random_;
  FuzzPool pool_;
  std::vector<Problem> texts_;  ///< of the corpus, without a stream: findings of other engines
  bool keeping_ = true;
};

/// About how many bytes of choices the values of a problem took: eight each.
std::size_t bytes_of_values(const Problem& problem) {
  return 8 * (problem.q.bits.size() + problem.k.bits.size() + problem.v.bits.size());
}

/// The problem with its property and format. Absent if no property speaks of it.
std::optional<Case> Search::read(const FuzzInput& input) {
  Choices choices = Choices::from_parts(input);
  // The first property, matches-reference unless the user chose, has four times the others' share.
  const std::size_t drawn_property = choices.below(properties_.size() + 3);
  const std::size_t first = drawn_property < properties_.size() ? drawn_property : 0;
  Candidacy& format = examiner_.formats()[choices.below(examiner_.formats().size())];
  const Drawn drawn = draw(choices, format.terms.domain);
  for (std::size_t n = 0; n < properties_.size(); ++n) {
    const Property& property = *properties_[(first + n) % properties_.size()];
    Problem problem = drawn.problem;
    prepare(problem, property, format.terms.domain, mix(input.front().seed));
    if (property.applies(problem, format.terms.contract)) continue;
    return Case{&property, &format, std::move(problem), std::string(drawn.stratum)};
  }
  return std::nullopt;
}

/// A property drawn among those that speak of the problem; null if none does.
const Property* Search::property_for(const Problem& problem, const Contract& contract) {
  const std::size_t first = random_.below(properties_.size());
  for (std::size_t n = 0; n < properties_.size(); ++n) {
    const Property* property = properties_[(first + n) % properties_.size()];
    if (!property->applies(problem, contract)) return property;
  }
  return nullptr;
}

/// A child of a text of the corpus. Absent if it lies outside the domain.
std::optional<Case> Search::graft() {
  const Problem& base = texts_[random_.below(texts_.size())];
  Candidacy* format = examiner_.at(base.format);
  if (format == nullptr) return std::nullopt;
  Problem child = grafted(random_, base, format->terms.domain);
  if (outside(replayed(format->terms), child)) return std::nullopt;
  const Property* property = property_for(child, format->terms.contract);
  if (property == nullptr) return std::nullopt;
  return Case{property, format, std::move(child), "corpus"};
}

/// True if the case counted.
bool Search::execute(const Case& now, const FuzzInput& input, Keep on_disk) {
  ++result_.reached.executions;
  const auto verdict = examiner_.consider(now.problem, *now.property, *now.format, now.stratum);
  if (!verdict || !is_accepted(*verdict)) return false;
  // What failed is a finding, and what was undecided showed nothing: neither is a step on the way.
  const auto* pass = std::get_if<Pass>(&*verdict);
  if (pass == nullptr) return true;
  const auto traits = traits_of(now.problem, now.property->name, now.stratum);
  const auto classes = fuzz_classes(traits, now.stratum, pass->headroom);
  const bool kept = pool_.add(input, bytes_of_values(now.problem), classes);
  if (kept && on_disk == Keep::yes) keep(now, input);
  return true;
}

void Search::keep(const Case& now, const FuzzInput& input) {
  if (options_.keep.empty() || !keeping_) return;
  try {
    keep_input(options_.keep, now.problem, now.property->name, now.stratum, input);
  } catch (const InputError& error) {
    keeping_ = false;  // Told once; the search goes on in memory.
    result_.report.troubles.push_back({error.code(), error.what()});
  }
}

FuzzInput Search::next_input() {
  if (pool_.empty() || random_.chance(1, 8)) return fresh_input(random_);
  const FuzzPool::Kept& parent = pool_.choose(random_);
  const FuzzPool::Kept& other = pool_.choose(random_);
  FuzzInput input = mutated(random_, parent.input, other.input, parent.values);
  input.front() = {
      {}, random_.bits(), 0};  // What is new about a problem is of use to every property.
  return input;
}

std::string Search::enough_known() {
  std::int64_t different = 0, failures = 0, hard = 0;
  for (const Candidacy& format : examiner_.formats()) {
    different += format.distinct;
    failures += format.failures;
    hard += format.hard;
  }
  if (different >= enough_different) return fmt::format("{} different findings", different);
  if (failures >= enough_failures) return fmt::format("{} failing cases", failures);
  if (hard >= enough_hard) return fmt::format("{} crashes or time-outs", hard);
  return "";
}

std::string Search::why_ended(std::int64_t runs, std::int64_t fruitless) {
  if (examiner_.interrupted()) return "a signal";
  if (examiner_.over()) return examiner_.failed() > 0 ? "the first finding" : "an error";
  if (options_.runs && runs >= *options_.runs) return fmt::format("{} runs", runs);
  if (options_.time_up && options_.time_up()) return "the time is up";
  if (fruitless >= fruitless_in_a_row) {
    return fmt::format("{} inputs in a row gave no case that counts", fruitless);
  }
  return enough_known();
}

void Search::search() {
  std::int64_t fruitless = 0;
  for (std::int64_t runs = 0;;) {
    result_.ended = why_ended(runs, fruitless);
    if (!result_.ended.empty()) return;
    if (!texts_.empty() && random_.chance(1, 16)) {
      if (const std::optional<Case> child = graft()) {
        ++runs;
        ++result_.reached.executions;
        (void)examiner_.consider(child->problem, *child->property, *child->format, child->stratum,
                                 false);
        update();
        continue;
      }
    }
    const FuzzInput input = next_input();
    const std::optional<Case> now = read(input);
    if (now) ++runs;
    fruitless = now && execute(*now, input, Keep::yes) ? 0 : fruitless + 1;
    update();
    if (options_.progress) options_.progress(result_.reached);
  }
}

void Search::replay() {
  for (const CorpusCase& item : options_.campaign.corpus.cases) {
    const auto said = item.example.about.find("property");
    bool done = false;
    for (const Property* property : properties_) {
      if (said == item.example.about.end() || said->second != property->name) continue;
      replay(item, *property);
      done = true;
    }
    if (!done) replay(item, *properties_.front());
    update();
    if (options_.progress) options_.progress(result_.reached);
    if (!why_ended(-1, 0).empty()) return;
  }
}

/// What may be replayed: the search's own budget of work is not asked, for such cases are few.
Domain Search::replayed(const Terms& terms) const {
  Domain domain = terms.domain;
  domain.work_budget =
      std::min(options_.campaign.domain.work_budget, terms.contract.limits.work_budget);
  return domain;
}

/// The case as its text has it. The stream it came from, if the file names one, joins the pool; in
/// another domain than then the stream is another case, and runs as well.
void Search::replay(const CorpusCase& item, const Property& property) {
  const Problem& problem = item.example.problem;
  Candidacy* format = examiner_.at(problem.format);
  const auto stream = item.example.about.find("stream");
  std::optional<FuzzInput> input;
  if (stream != item.example.about.end()) input = read_fuzz_input(stream->second);
  const std::optional<Case> now =
      input && !examiner_.formats().empty() ? read(*input) : std::nullopt;
  const bool same = now && now->problem == problem && now->property == &property;
  if (!same && format != nullptr && !outside(replayed(format->terms), problem)) {
    if (!input) texts_.push_back(problem);
    ++result_.reached.executions;
    const auto verdict = examiner_.consider(problem, property, *format, "corpus");
    if (verdict && is_accepted(*verdict)) ++result_.report.corpus_cases;
  }
  if (!now || examiner_.over()) return;
  const bool counted = execute(*now, *input, same ? Keep::no : Keep::yes);
  if (counted && same) ++result_.report.corpus_cases;
}

void Search::update() {
  result_.reached.kept = static_cast<std::int64_t>(pool_.size());
  result_.reached.classes = static_cast<std::int64_t>(pool_.classes());
  result_.reached.failed = examiner_.failed();
  result_.reached.worst = examiner_.worst();
}

}  // namespace

const Profile& fuzz_profile() {
  static constexpr Profile profile{"fuzz", 0, 0, 20'000, "guided search, until stopped"};
  return profile;
}

FuzzResult run_fuzz(Candidate& candidate, const FuzzOptions& options) {
  const DefaultFloatEnvironment environment;
  return Search(candidate, options).run();
}

}  // namespace qkvet
