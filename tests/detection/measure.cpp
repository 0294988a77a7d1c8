#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <qkvet/bound/admissible.hpp>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/check/statistics.hpp>
#include <qkvet/problem/draw.hpp>

#include "../fleet/fleet.hpp"
#include "kernel.hpp"
#include "problems.hpp"

namespace detection {

using namespace qkvet;

namespace {

struct Subject {
  std::unique_ptr<Candidate> kernel;
  bool declared = false;  ///< has the declared structure
  Result result;
};

/// What is admitted on one problem under both contracts; the second only where asked.
struct Allowed {
  Admissible any, own;
};

bool admits(const std::vector<Place>& places, Format format,
            const std::vector<std::uint64_t>& bits) {
  for (std::size_t n = 0; n < places.size() && n < bits.size(); ++n) {
    if (!places[n].contains(decode(format, bits[n]))) return false;
  }
  return true;
}

bool close(double got, double exact, double absolute, double relative) {
  return std::fabs(got - exact) <= absolute + relative * std::fabs(exact);
}

/// One case: exact values, envelope of honest errors, and the judgement of a run.
class Bench {
 public:
  Bench(Format format, std::uint64_t seed, std::int64_t cases, std::int64_t most_keys);
  Measured run();

 private:
  void one_case(std::int64_t n);
  [[nodiscard]] Allowed allowed(const Problem& problem) const;
  void judge(Subject& subject, const Outputs& first, const std::optional<Outputs>& second);
  void widen(const Outputs& outputs);
  [[nodiscard]] bool is_material(const Outputs& outputs) const;
  [[nodiscard]] bool usual(const Outputs& outputs, double absolute, double relative) const;

  Format format_;
  std::uint64_t seed_;
  std::int64_t cases_, most_keys_;
  Contract any_, own_;
  std::vector<Subject> honest_, mutants_;
  // Of the case at hand.
  Case case_;
  Problem probe_;
  Allowed allowed_, probe_allowed_;
  Spreads spreads_any_, spreads_own_;
  std::vector<double> exact_, envelope_;
};

Bench::Bench(Format format, std::uint64_t seed, std::int64_t cases, std::int64_t most_keys)
    : format_(format), seed_(seed), cases_(cases), most_keys_(most_keys) {
  own_ = read_contracts(declared_contract(), "the declared contract").at(format);
  any_ = ContractSet{}.at(format);
  // Conventions are not what is measured here: both say what an empty row gives.
  any_.semantics = own_.semantics;
  const bool low = info(format).bytes == 2;
  for (const Build& build : originals()) {
    honest_.push_back({in_process(table_of(build, false)), build.tile == 64, {build.name, 0, {}}});
  }
  for (std::size_t n = 0; n < fleet::recipes().size() && format != Format::binary64; ++n) {
    const fleet::Recipe& recipe = fleet::recipes()[n];
    const bool same = recipe.family == fleet::Family::any && recipe.lines == nullptr;
    if (!same || (recipe.low_only && !low)) continue;
    honest_.push_back({in_process(fleet::candidate(n)), false, {recipe.name, 0, {}}});
  }
  for (const Build& build : mutants()) {
    mutants_.push_back({in_process(table_of(build, false)), true, {build.name, 0, {}}});
  }
}

Allowed Bench::allowed(const Problem& problem) const {
  const Rung rung = format_ == Format::binary64 ? Rung::arb : Rung::first;
  return {admit(problem, any_, rung), admit(problem, own_, rung)};
}

void Bench::widen(const Outputs& outputs) {
  for (std::size_t n = 0; n < exact_.size(); ++n) {
    const double error = std::fabs(decode(outputs.o.format, outputs.o.bits[n]) - exact_[n]);
    envelope_[n] = std::max(envelope_[n], error);
  }
}

bool Bench::is_material(const Outputs& outputs) const {
  for (std::size_t n = 0; n < exact_.size(); ++n) {
    const Place& place = allowed_.any.o[n];
    if (place.kind == PlaceKind::exempt || place.kind == PlaceKind::uncheckable) continue;
    const double got = decode(outputs.o.format, outputs.o.bits[n]);
    const double half = std::max(info(format_).u * std::fabs(exact_[n]), info(format_).eta / 2);
    if (!std::isfinite(got)) return true;
    if (std::fabs(got - exact_[n]) > 4 * std::max(envelope_[n], half)) return true;
  }
  return false;
}

bool Bench::usual(const Outputs& outputs, double absolute, double relative) const {
  for (std::size_t n = 0; n < exact_.size(); ++n) {
    const PlaceKind kind = allowed_.any.o[n].kind;
    if (kind == PlaceKind::exempt || kind == PlaceKind::uncheckable) continue;
    if (!close(decode(outputs.o.format, outputs.o.bits[n]), exact_[n], absolute, relative)) {
      return false;
    }
  }
  return true;
}

void Bench::judge(Subject& subject, const Outputs& first, const std::optional<Outputs>& second) {
  ++subject.result.cases;
  const auto hit = [&](Rule rule, bool rejected) {
    subject.result.hits[static_cast<std::size_t>(rule)] += rejected ? 1 : 0;
    return rejected;
  };
  const auto ladder = [&](const Admissible& allowed, const Admissible& probe, Rule o, Rule lse,
                          Rule probed) {
    bool rejected = hit(o, !admits(allowed.o, first.o.format, first.o.bits));
    rejected = hit(lse, rejected || !admits(allowed.lse, first.lse_format, first.lse));
    hit(probed, rejected || !second || !admits(probe.o, second->o.format, second->o.bits));
    return rejected;
  };
  const Calibration* calibration = calibration_of(format_);
  const auto unlikely = [&](const Admissible& allowed, const Spreads& spreads) {
    return calibration != nullptr && case_.random_values &&
           excess_of(statistics_of(case_.problem, first, allowed, spreads), *calibration);
  };
  bool rejected =
      ladder(allowed_.any, probe_allowed_.any, Rule::any_o, Rule::any_lse, Rule::any_probe);
  hit(Rule::any_seldom, rejected || unlikely(allowed_.any, spreads_any_));
  if (subject.declared) {
    rejected =
        ladder(allowed_.own, probe_allowed_.own, Rule::own_o, Rule::own_lse, Rule::own_probe);
    hit(Rule::own_seldom, rejected || unlikely(allowed_.own, spreads_own_));
  }
  // The defaults of torch.testing.assert_close.
  const bool low = info(format_).bytes == 2;
  const double relative = format_ == Format::binary64   ? 1e-7
                          : format_ == Format::bfloat16 ? 1.6e-2
                          : low                         ? 1e-3
                                                        : 1.3e-6;
  const double absolute = format_ == Format::binary64 ? 1e-7 : 1e-5;
  hit(Rule::assert_close, !usual(first, absolute, relative));
  hit(Rule::allclose, !usual(first, 1e-2, 1e-2));
}

void Bench::one_case(std::int64_t n) {
  case_ = draw_case(format_, seed_, n, most_keys_);
  probe_ = with_probe(case_.problem, mix(seed_ + 1) + static_cast<std::uint64_t>(n));
  allowed_ = allowed(case_.problem);
  probe_allowed_ = allowed(probe_);
  spreads_any_ = spreads(case_.problem, any_);
  spreads_own_ = spreads(case_.problem, own_);
  exact_.clear();
  for (const Place& place : allowed_.any.o) {
    const bool known = place.kind == PlaceKind::checked || place.kind == PlaceKind::hull;
    exact_.push_back(known ? place.exact.mid() : 0);
  }
  envelope_.assign(exact_.size(), 0);
  const auto runs = [&](Subject& subject) -> std::optional<Outputs> {
    const Observation seen = subject.kernel->run(case_.problem, output_formats(any_));
    return seen.status == RunStatus::ok ? std::optional(seen.outputs) : std::nullopt;
  };
  const auto probed = [&](Subject& subject) -> std::optional<Outputs> {
    const Observation seen = subject.kernel->run(probe_, output_formats(any_));
    return seen.status == RunStatus::ok ? std::optional(seen.outputs) : std::nullopt;
  };
  for (Subject& subject : honest_) {
    const auto outputs = runs(subject);
    if (!outputs) continue;
    widen(*outputs);
    judge(subject, *outputs, probed(subject));
  }
  for (Subject& subject : mutants_) {
    const auto outputs = runs(subject);
    if (outputs && is_material(*outputs)) judge(subject, *outputs, probed(subject));
  }
}

Measured Bench::run() {
  for (std::int64_t n = 0; n < cases_; ++n) one_case(n);
  Measured out;
  out.cases = cases_;
  for (Subject& subject : mutants_) out.mutants.push_back(std::move(subject.result));
  for (Subject& subject : honest_) out.honest.push_back(std::move(subject.result));
  return out;
}

double share(const Result& result, std::size_t rule) {
  return result.cases > 0
             ? static_cast<double>(result.hits[rule]) / static_cast<double>(result.cases)
             : 0;
}

constexpr std::int64_t fewest = 5;  ///< material cases from which on a share says something

}  // namespace

Measured measure(Format format, std::uint64_t seed, std::int64_t cases, std::int64_t most_keys) {
  return Bench(format, seed, cases, most_keys).run();
}

double mean_detection(const Measured& measured, Rule rule) {
  double sum = 0, count = 0;
  for (const Result& result : measured.mutants) {
    if (result.cases < fewest) continue;
    sum += share(result, static_cast<std::size_t>(rule));
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

std::string tables(const Measured& measured, Format format) {
  std::string head = "| mutant | material |", line = "|---|---|";
  for (const std::string_view rule : rule_names) {
    head += fmt::format(" {} |", rule);
    line += "---|";
  }
  std::string out = fmt::format("### {}\n\n{}\n{}\n", info(format).name, head, line);
  for (const Result& result : measured.mutants) {
    out += fmt::format("| {} | {} |", result.name, result.cases);
    for (std::size_t rule = 0; rule < rules; ++rule) {
      out += result.cases < fewest ? " - |" : fmt::format(" {:.2f} |", share(result, rule));
    }
    out += "\n";
  }
  out += "| **mean** | |";
  for (std::size_t rule = 0; rule < rules; ++rule) {
    out += fmt::format(" **{:.3f}** |", mean_detection(measured, static_cast<Rule>(rule)));
  }
  std::array<std::int64_t, rules> alarms{}, runs{};
  for (std::size_t k = 0; k < measured.honest.size(); ++k) {
    for (std::size_t rule = 0; rule < rules; ++rule) {
      // The declared structure is that of the first two kernels only.
      const bool declared = rule >= static_cast<std::size_t>(Rule::own_o) &&
                            rule <= static_cast<std::size_t>(Rule::own_seldom);
      const bool asked = !declared || k < 2;
      runs[rule] += asked ? measured.honest[k].cases : 0;
      alarms[rule] += measured.honest[k].hits[rule];
    }
  }
  out += fmt::format("\n| *false alarms, {} honest kernels* | |", measured.honest.size());
  for (std::size_t rule = 0; rule < rules; ++rule) {
    out += fmt::format(" {}/{} |", alarms[rule], runs[rule]);
  }
  return out + "\n";
}

}  // namespace detection
