#include "measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <qkvet/bound/admissible.hpp>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/check/criteria.hpp>
#include <qkvet/check/statistics.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/problem/draw.hpp>

#include "../fleet/fleet.hpp"
#include "kernel.hpp"
#include "problems.hpp"

namespace detection {

using namespace qkvet;

namespace {

struct Subject {
  std::unique_ptr<Candidate> kernel;
  Result result;
};

/// What each contract admits on one problem.
using Allowed = std::array<Admissible, contracts>;

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
  [[nodiscard]] bool within_twice_plain(const Outputs& outputs) const;

  Format format_;
  std::uint64_t seed_;
  std::int64_t cases_, most_keys_;
  std::array<Contract, contracts> contracts_;
  std::vector<Subject> honest_, mutants_;
  // Of the case at hand.
  Case case_;
  Problem probe_;
  Allowed allowed_, probe_allowed_;
  std::array<Spreads, contracts> spreads_;
  std::vector<double> exact_, envelope_;
  std::unique_ptr<Candidate> plain_ = in_process(*builtin_kernel("naive"));
  Outputs plain_outputs_;
};

Bench::Bench(Format format, std::uint64_t seed, std::int64_t cases, std::int64_t most_keys)
    : format_(format), seed_(seed), cases_(cases), most_keys_(most_keys) {
  contracts_ = {ContractSet{}.at(format),
                read_contracts(declared_contract(false), "the declared arithmetic").at(format),
                read_contracts(declared_contract(true), "the declared structure").at(format)};
  // Conventions are not what is measured here: all say what an empty row gives.
  contracts_[0].semantics = contracts_[1].semantics;
  for (const Build& build : originals()) {
    const Declared most = build.tile == 64 ? Declared::structure : Declared::arithmetic;
    honest_.push_back({in_process(table_of(build, false)), {build.name, most}});
  }
  for (std::size_t n = 0; n < fleet::recipes().size(); ++n) {
    const fleet::Recipe& recipe = fleet::recipes()[n];
    const bool same = recipe.family == fleet::Family::any && recipe.lines == nullptr;
    if (!same || !fleet::takes(recipe, format)) continue;
    honest_.push_back({in_process(fleet::candidate(n)), {recipe.name, Declared::nothing}});
  }
  for (const Build& build : mutants()) {
    mutants_.push_back(
        {in_process(table_of(build, false)), {build.name, Declared::structure, build.listed}});
  }
}

Allowed Bench::allowed(const Problem& problem) const {
  const Rung rung = format_ == Format::binary64 ? Rung::arb : Rung::first;
  Allowed out;
  for (std::size_t k = 0; k < contracts; ++k) out[k] = admit(problem, contracts_[k], rung);
  return out;
}

void Bench::widen(const Outputs& outputs) {
  for (std::size_t n = 0; n < exact_.size(); ++n) {
    const double error = std::fabs(decode(outputs.o.format, outputs.o.bits[n]) - exact_[n]);
    envelope_[n] = std::max(envelope_[n], error);
  }
}

bool Bench::is_material(const Outputs& outputs) const {
  for (std::size_t n = 0; n < exact_.size(); ++n) {
    const Place& place = allowed_[0].o[n];
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
    const PlaceKind kind = allowed_[0].o[n].kind;
    if (kind == PlaceKind::exempt || kind == PlaceKind::uncheckable) continue;
    if (!close(decode(outputs.o.format, outputs.o.bits[n]), exact_[n], absolute, relative)) {
      return false;
    }
  }
  return true;
}

/// FlashAttention's rule, as docs/criteria.md has it.
bool Bench::within_twice_plain(const Outputs& outputs) const {
  Comparison all;
  all.format = outputs.o.format;
  all.keys = case_.problem.shape.S;
  for (std::size_t n = 0; n < exact_.size(); ++n) {
    const PlaceKind kind = allowed_[0].o[n].kind;
    if (kind == PlaceKind::exempt || kind == PlaceKind::uncheckable) continue;
    all.got.push_back(decode(outputs.o.format, outputs.o.bits[n]));
    all.exact.push_back(exact_[n]);
    all.magnitude.push_back(0);  // it does not ask
    all.twin.push_back(decode(plain_outputs_.o.format, plain_outputs_.o.bits[n]));
  }
  return criterion_named("fa2x")->rule(all).word != Ruling::Word::fail;
}

void Bench::judge(Subject& subject, const Outputs& first, const std::optional<Outputs>& second) {
  ++subject.result.cases;
  const auto hit = [&](std::size_t rule, bool rejected) {
    subject.result.hits[rule] += rejected ? 1 : 0;
    return rejected;
  };
  const Calibration* calibration = calibration_of(format_);
  for (std::size_t k = 0; k <= static_cast<std::size_t>(subject.result.most); ++k) {
    const Admissible& allowed = allowed_[k];
    const auto rule = [&](Look look) { return rule_of(static_cast<Declared>(k), look); };
    bool rejected = hit(rule(Look::outputs), !admits(allowed.o, first.o.format, first.o.bits));
    rejected = hit(rule(Look::lse), rejected || !admits(allowed.lse, first.lse_format, first.lse));
    hit(rule(Look::probe), rejected || !second ||
                               !admits(probe_allowed_[k].o, second->o.format, second->o.bits));
    const auto unlikely = [&] {
      const Statistics seen = statistics_of(case_.problem, first, allowed, spreads_[k]);
      return excess_of(seen, *calibration).has_value();
    };
    hit(rule(Look::seldom),
        rejected || (calibration != nullptr && case_.random_values && unlikely()));
  }
  // The defaults of torch.testing.assert_close.
  const bool low = info(format_).bytes == 2;
  const double relative = format_ == Format::binary64   ? 1e-7
                          : format_ == Format::bfloat16 ? 1.6e-2
                          : low                         ? 1e-3
                                                        : 1.3e-6;
  const double absolute = format_ == Format::binary64 ? 1e-7 : 1e-5;
  hit(assert_close, !usual(first, absolute, relative));
  hit(allclose, !usual(first, 1e-2, 1e-2));
  hit(fa2x, !within_twice_plain(first));
}

void Bench::one_case(std::int64_t n) {
  case_ = draw_case(format_, seed_, n, most_keys_);
  probe_ = with_probe(case_.problem, mix(seed_ + 1) + static_cast<std::uint64_t>(n));
  allowed_ = allowed(case_.problem);
  probe_allowed_ = allowed(probe_);
  for (std::size_t k = 0; k < contracts; ++k) spreads_[k] = spreads(case_.problem, contracts_[k]);
  exact_.clear();
  for (const Place& place : allowed_[0].o) {
    const bool known = place.kind == PlaceKind::checked || place.kind == PlaceKind::hull;
    exact_.push_back(known ? place.exact.mid() : 0);
  }
  envelope_.assign(exact_.size(), 0);
  plain_outputs_ = plain_->run(case_.problem, output_formats(contracts_[0])).outputs;
  const auto runs = [&](Subject& subject) -> std::optional<Outputs> {
    const Observation seen = subject.kernel->run(case_.problem, output_formats(contracts_[0]));
    return seen.status == RunStatus::ok ? std::optional(seen.outputs) : std::nullopt;
  };
  const auto probed = [&](Subject& subject) -> std::optional<Outputs> {
    const Observation seen = subject.kernel->run(probe_, output_formats(contracts_[0]));
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

double mean_detection(const Measured& measured, std::size_t rule, bool listed) {
  double sum = 0, count = 0;
  for (const Result& result : measured.mutants) {
    if (result.cases < fewest || (listed && !result.listed)) continue;
    sum += share(result, rule);
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

namespace {

/// One line: `cell` of every rule, those of one contract in one column.
template <class Cell>
std::string columns(const Cell& cell) {
  std::string out;
  for (std::size_t rule = 0; rule < rules; ++rule) {
    const bool first = rule >= assert_close || rule % looks == 0;
    out += (first ? " | " : " \u00b7 ") + cell(rule);
  }
  return out + " |\n";
}

std::string mean_line(const Measured& measured, std::string_view name, bool listed) {
  std::int64_t count = 0;
  for (const Result& result : measured.mutants) {
    count += result.cases >= fewest && (result.listed || !listed) ? 1 : 0;
  }
  return fmt::format("| **{}** | {}", name, count) + columns([&](std::size_t rule) {
           return fmt::format("**{:.3f}**", mean_detection(measured, rule, listed));
         });
}

}  // namespace

std::string tables(const Measured& measured, Format format) {
  std::string out = fmt::format(
      "### {}\n\n| mutant | material | nothing declared | order not declared | all declared | "
      "`assert_close` | `allclose(1e-2)` | `fa2x` |\n|---|---|---|---|---|---|---|---|\n",
      info(format).name);
  for (const Result& result : measured.mutants) {
    out += fmt::format("| {} | {}", result.name, result.cases);
    if (result.cases < fewest) {
      out += " | - | - | - | - | - | - |\n";
      continue;
    }
    out += columns([&](std::size_t rule) {
      const double caught = share(result, rule);
      return caught < 1 ? fmt::format("{:.2f}", caught).substr(caught < 0.995 ? 1 : 0) : "1";
    });
  }
  out += mean_line(measured, "mean over the list", true);
  out += mean_line(measured, "mean over all", false);
  std::array<std::int64_t, rules> alarms{}, runs{};
  for (const Result& honest : measured.honest) {
    const std::size_t own = (static_cast<std::size_t>(honest.most) + 1) * looks;
    for (std::size_t rule = 0; rule < rules; ++rule) {
      if (rule >= own && rule < assert_close) continue;
      runs[rule] += honest.cases;
      alarms[rule] += honest.hits[rule];
    }
  }
  out += fmt::format("| *false alarms, {} honest kernels* | ", measured.honest.size());
  // The number of runs comes last, as it is the same for all looks under one contract.
  return out + columns([&](std::size_t rule) {
           const bool last = rule >= assert_close || rule % looks == looks - 1;
           return last ? fmt::format("{} of {}", alarms[rule], runs[rule])
                       : fmt::format("{}", alarms[rule]);
         });
}

}  // namespace detection
