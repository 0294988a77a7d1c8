// The loop of the fleet test.
#include "muster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <qkvet/bound/admitter.hpp>
#include <qkvet/check/decide.hpp>
#include <qkvet/num/float_environment.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/text.hpp>

#include "adversary.hpp"

namespace fleet {
namespace {

using namespace qkvet;

/// One case and what its contracts admit: the rows are enclosed once for all contracts of the same
/// semantics, per rung, when that is first asked for.
class Case {
 public:
  Case(Problem problem, std::vector<Contract> contracts)
      : problem_(std::move(problem)), contracts_(std::move(contracts)) {}

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const std::vector<Contract>& contracts() const { return contracts_; }
  /// Under contract number `n`; the rung is `first` or `arb`.
  [[nodiscard]] const Admissible& admitted(std::size_t n, Rung rung) {
    std::vector<Admissible>& known = admitted_[rung == Rung::first ? 0 : 1];
    if (known.empty()) known = admit_all(rung);
    return known[n];
  }

 private:
  [[nodiscard]] std::vector<Admissible> admit_all(Rung rung) const {
    const DefaultFloatEnvironment environment;
    std::vector<Admissible> out(contracts_.size());
    std::vector<bool> done(contracts_.size());
    for (std::size_t first = 0; first < contracts_.size(); ++first) {
      if (done[first]) continue;
      std::vector<std::pair<std::size_t, bound::Admitter>> alike;
      for (std::size_t n = first; n < contracts_.size(); ++n) {
        if (contracts_[n].semantics != contracts_[first].semantics) continue;
        done[n] = true;
        alike.emplace_back(n, bound::Admitter(problem_, contracts_[n]));
      }
      RowEncloser encloser(problem_, contracts_[first].semantics, rung);
      const Shape& s = problem_.shape;
      for (std::int64_t row = 0; row < s.B * s.H_q * s.L; ++row) {
        const std::int64_t b = row / (s.H_q * s.L), h = row / s.L % s.H_q, i = row % s.L;
        const RowEnclosure enclosure = encloser.row(b, h, i);
        for (auto& [n, admitter] : alike) {
          std::vector<Place> places = admitter.row(enclosure, b, h, i);
          if (problem_.want_lse) out[n].lse.push_back(std::move(places.back()));
          places.pop_back();
          std::move(places.begin(), places.end(), std::back_inserter(out[n].o));
        }
      }
    }
    return out;
  }

  Problem problem_;
  std::vector<Contract> contracts_;
  std::array<std::vector<Admissible>, 2> admitted_;
};

struct Miss {
  std::string place;
  double got = 0;
  Place allowed;
};

/// The first place that is not admitted; the largest ratio goes to `worst`.
std::optional<Miss> first_miss(const Outputs& outputs, const Admissible& admissible,
                               double* worst) {
  for (std::size_t n = 0; n < admissible.o.size(); ++n) {
    const double got = decode(outputs.o.format, outputs.o.bits[n]);
    if (!admissible.o[n].contains(got)) return Miss{fmt::format("o[{}]", n), got, admissible.o[n]};
    *worst = std::max(*worst, admissible.o[n].ratio(got));
  }
  for (std::size_t n = 0; n < admissible.lse.size() && n < outputs.lse.size(); ++n) {
    const double got = decode(outputs.lse_format, outputs.lse[n]);
    if (!admissible.lse[n].contains(got)) {
      return Miss{fmt::format("lse[{}]", n), got, admissible.lse[n]};
    }
    *worst = std::max(*worst, admissible.lse[n].ratio(got));
  }
  return std::nullopt;
}

/// Whether the first rung proves that all is admitted (docs/bounds.md 8.4).
bool settled(const Outputs& outputs, const Admissible& first) {
  for (std::size_t n = 0; n < first.o.size(); ++n) {
    if (!well_inside_place(first.o[n], decode(outputs.o.format, outputs.o.bits[n]))) return false;
  }
  for (std::size_t n = 0; n < first.lse.size() && n < outputs.lse.size(); ++n) {
    if (!well_inside_place(first.lse[n], decode(outputs.lse_format, outputs.lse[n]))) return false;
  }
  return true;
}

std::string describe(const Miss& miss) {
  return fmt::format(
      "{} = {:a} ({:.9g}), exact [{:.9g}, {:.9g}], radius {:.3g}, allowed [{:.9g}, {:.9g}]",
      miss.place, miss.got, miss.got, miss.allowed.exact.lo, miss.allowed.exact.hi,
      miss.allowed.radius, miss.allowed.allowed.lo, miss.allowed.allowed.hi);
}

/// Why the candidate is wrong on the case, under contract number `n`; absent if it is not.
std::optional<std::string> judge(Candidate& candidate, Case& drawn, std::size_t n, double* worst) {
  const Observation seen = candidate.run(drawn.problem(), output_formats(drawn.contracts()[n]));
  if (seen.status != RunStatus::ok) return fmt::format("ended badly: {}", seen.message);
  if (!seen.faults.empty()) {
    return fmt::format("fault at {}: {}", seen.faults.front().tensor, seen.faults.front().detail);
  }
  const Admissible& first = drawn.admitted(n, Rung::first);
  const Rung rung = settled(seen.outputs, first) ? Rung::first : Rung::arb;
  const auto miss = first_miss(seen.outputs, drawn.admitted(n, rung), worst);
  if (!miss) return std::nullopt;
  return describe(*miss);
}

Tally tally_of(const Admissible& admissible) {
  Tally tally;
  for (const Place& place : admissible.o) tally.add(place);
  for (const Place& place : admissible.lse) tally.add(place);
  return tally;
}

}  // namespace

std::int64_t Muster::failures() const {
  std::int64_t sum = 0;
  for (const Record& record : records) sum += static_cast<std::int64_t>(record.failures.size());
  return sum;
}

double Muster::undecided() const {
  Tally all;
  for (const Record& record : records) all += record.places;
  return static_cast<double>(all.uncheckable) /
         static_cast<double>(std::max<std::int64_t>(all.total(), 1));
}

std::string Muster::text() const {
  std::string out =
      fmt::format("{:<32}{:>8}{:>8}{:>12}  in case\n", "kernel", "cases", "FAIL", "worst");
  for (const Record& record : records) {
    out += fmt::format("{:<32}{:>8}{:>8}{:>12.4f}  {}\n", record.name, record.cases,
                       record.failures.size(), record.worst, record.worst_case);
    if (!record.failures.empty()) out += "  " + record.failures.front() + "\n";
  }
  const auto share = [](const Tally& t) {
    const double all = static_cast<double>(std::max<std::int64_t>(t.total(), 1));
    return fmt::format(
        "{:>12}  checked {:5.1f} %  hull {:5.1f} %  exact {:5.1f} %  exempt {:5.1f} %  uncheckable "
        "{:5.1f} %",
        t.total(), 100 * static_cast<double>(t.checked) / all,
        100 * static_cast<double>(t.hull) / all, 100 * static_cast<double>(t.exact) / all,
        100 * static_cast<double>(t.exempt) / all, 100 * static_cast<double>(t.uncheckable) / all);
  };
  for (const auto& [name, tally] : strata) out += fmt::format("{:<24}{}\n", name, share(tally));
  return out + fmt::format("{:<24}{}\n", "all elements", share(total));
}

namespace {

/// One problem on every candidate that takes it; `where` leads to it in a failure's sentence.
void put_to_all(const std::vector<Candidate*>& candidates, Problem problem, std::int64_t number,
                const std::string& where, std::string_view stratum, Muster& result) {
  // Distinct contracts, and which one each candidate has; those that do not take it have none.
  std::vector<Contract> contracts;
  std::map<std::string, std::size_t> known;
  std::vector<std::optional<std::size_t>> held_to;
  for (const Candidate* candidate : candidates) {
    const Contract contract = candidate->contracts().at(problem.format);
    held_to.emplace_back();
    if (outside(contract.limits, problem)) continue;
    const auto [place, added] = known.emplace(digest(contract), contracts.size());
    if (added) contracts.push_back(contract);
    held_to.back() = place->second;
  }
  if (contracts.empty()) return;
  Case one(std::move(problem), std::move(contracts));
  std::vector<Tally> tallies;
  for (std::size_t n = 0; n < one.contracts().size(); ++n) {
    tallies.push_back(tally_of(one.admitted(n, Rung::first)));
  }
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (!held_to[c]) continue;
    Record& record = result.records[c];
    ++record.cases;
    record.contract = one.contracts()[*held_to[c]].name;
    record.places += tallies[*held_to[c]];
    const double before = record.worst;
    const auto failure = judge(*candidates[c], one, *held_to[c], &record.worst);
    if (record.worst > before) record.worst_case = number;
    if (failure) {
      record.failures.push_back(
          fmt::format("{}: {}\n  {}", where, *failure, write_case(one.problem())));
    }
  }
  result.strata[std::string(stratum)] += tallies.front();
  result.total += tallies.front();
}

Muster empty_muster(const std::vector<Candidate*>& candidates) {
  Muster result;
  for (const Candidate* candidate : candidates) {
    result.records.emplace_back();
    result.records.back().name = candidate->name();
  }
  return result;
}

}  // namespace

Muster muster(const std::vector<Candidate*>& candidates, const Draws& draws) {
  Domain domain;
  domain.formats = {draws.format};
  domain.work_budget = draws.work;
  Muster result = empty_muster(candidates);
  for (std::int64_t n = draws.first; n < draws.first + draws.cases; ++n) {
    const std::uint64_t case_seed = mix(mix(draws.seed) + static_cast<std::uint64_t>(n));
    Choices choices = Choices::from_seed(case_seed);
    Drawn drawn = draw(choices, domain);
    if (!draws.stratum.empty() && draws.stratum != drawn.stratum) continue;
    const std::string where = fmt::format("seed {} case {} ({})", draws.seed, n, drawn.stratum);
    Problem problem = std::move(drawn.problem);
    if (draws.hostile) problem = with_hostile_values(std::move(problem), case_seed);
    put_to_all(candidates, std::move(problem), n, where, drawn.stratum, result);
  }
  return result;
}

Muster muster(const std::vector<Candidate*>& candidates, const std::vector<Named>& problems) {
  Muster result = empty_muster(candidates);
  for (std::size_t n = 0; n < problems.size(); ++n) {
    put_to_all(candidates, problems[n].problem, static_cast<std::int64_t>(n), problems[n].name,
               "given", result);
  }
  return result;
}

}  // namespace fleet
