#include <fmt/format.h>

#include <algorithm>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/campaign/drawing.hpp>
#include <qkvet/campaign/examiner.hpp>
#include <qkvet/num/float_environment.hpp>
#include <qkvet/problem/draw.hpp>

namespace qkvet {
namespace {

// Counts of the loop; none of them is a tolerance.
constexpr int fruitless_in_a_row = 400;  // Then the property does not fit the candidate.
constexpr std::int64_t dear_failures = 3;  // Crashes and time-outs that end the replay.

class Loop {
 public:
  Loop(Candidate& candidate, const CampaignOptions& options)
      : options_(options), examiner_(candidate, options, report_) {}

  Report run() {
    report_.profile = options_.cases ? fmt::format("{} cases", *options_.cases)
                                     : std::string(options_.profile.name);
    for (const Property* property : options_.properties) planned_ += cases_for(*property);
    replay();
    for (const Property* property : options_.properties) {
      if (examiner_.over()) break;
      draw_cases(*property);
    }
    report_.interrupted = examiner_.interrupted();
    return std::move(report_);
  }

 private:
  void replay();
  void draw_cases(const Property& property);
  bool one_case(const Property& property, Drawing& drawing, std::int64_t n, int redraw);
  [[nodiscard]] std::vector<Candidacy*> open_formats();
  void finish(PropertyResult& result);
  void show(std::string_view property) const;
  [[nodiscard]] std::int64_t cases_for(const Property& property) const {
    return options_.cases.value_or(cases_of(options_.profile, property));
  }

  const CampaignOptions& options_;
  Report report_;  // Before the examiner, which holds a reference to it.
  Examiner examiner_;
  std::int64_t planned_ = 0, done_ = 0;
};

void Loop::replay() {
  for (const CorpusCase& item : options_.corpus.cases) {
    const Problem& problem = item.example.problem;
    Candidacy* format = examiner_.at(problem.format);
    for (const Property* property : options_.properties) {
      if (examiner_.over()) return;
      if (!options_.replay_all && !is_for(item, property->name)) continue;
      if (format == nullptr) {
        if (!options_.replay_all) continue;  // One of many: what is drawn says what was tested.
        examiner_.result_of(*property).last_refusal =
            "the candidate does not take this storage format";
      } else if (!options_.replay_all && format->hard >= dear_failures) {
        return;  // Each call that hangs costs its time limit, and there are many cases.
      } else if (options_.replay_all || !outside(format->terms.domain, problem)) {
        const auto verdict = examiner_.consider(problem, *property, *format, "corpus");
        if (verdict && is_accepted(*verdict)) ++report_.corpus_cases;
      }
    }
  }
}

void Loop::draw_cases(const Property& property) {
  const std::int64_t wanted = cases_for(property);
  Drawing drawing(property, options_.seed);
  PropertyResult& result = examiner_.result_of(property);
  for (Candidacy& format : examiner_.formats()) format.failures = format.distinct = format.hard = 0;
  int fruitless = 0;
  for (std::int64_t n = 0; n < wanted && !examiner_.over() && !open_formats().empty(); ++n) {
    bool accepted = false;
    for (int redraw = 0; redraw < redraws_per_case && !accepted && !examiner_.over(); ++redraw) {
      accepted = one_case(property, drawing, n, redraw);
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
  for (Candidacy& format : examiner_.formats()) {
    if (!format.ended()) open.push_back(&format);
  }
  return open;
}

void Loop::finish(PropertyResult& result) {
  for (const Candidacy& format : examiner_.formats()) {
    if (!format.ended()) continue;
    if (!result.stopped.empty()) result.stopped += ", ";
    result.stopped += fmt::format("{} ended after {} failures, {} different",
                                  info(format.format).name, format.failures, format.distinct);
  }
}

/// True if the case counts: the property applies, the candidate accepts, there is power.
bool Loop::one_case(const Property& property, Drawing& drawing, std::int64_t n, int redraw) {
  const std::vector<Candidacy*> open = open_formats();
  Candidacy* format = nullptr;
  const Drawing::Case one =
      drawing.draw_case(n, redraw, [&](Choices& choices) -> const Domain& {
        format = open[choices.below(open.size())];
        return format->terms.domain;
      });
  const Problem& problem = one.drawn.problem;
  // Critical values were calibrated on draws as they come: what is steered is not asked.
  const auto verdict =
      examiner_.consider(problem, property, *format, one.drawn.stratum, !one.steered);
  if (!verdict || !is_accepted(*verdict)) return false;
  drawing.accepted(features_in(problem, one.drawn.stratum));
  return true;
}

void Loop::show(std::string_view property) const {
  if (!options_.progress) return;
  options_.progress({property, done_, planned_, examiner_.failed(), examiner_.worst()});
}

}  // namespace

Report run_campaign(Candidate& candidate, const CampaignOptions& options) {
  const DefaultFloatEnvironment environment;
  return Loop(candidate, options).run();
}

}  // namespace qkvet
