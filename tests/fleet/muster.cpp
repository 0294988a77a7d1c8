// The loop of the fleet test.
#include "muster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <qkvet/bound/admissible.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/text.hpp>

namespace fleet {
namespace {

using namespace qkvet;

/// One case and what is admitted in it, per contract and rung, computed when first asked for.
class Case {
 public:
  explicit Case(Problem problem) : problem_(std::move(problem)) {}

  [[nodiscard]] const Problem& problem() const { return problem_; }
  [[nodiscard]] const Admissible& admitted(const Contract& contract, Rung rung) {
    const auto key = std::make_pair(digest(contract), rung);
    const auto known = admitted_.find(key);
    if (known != admitted_.end()) return known->second;
    return admitted_.emplace(key, admit(problem_, contract, rung)).first->second;
  }

 private:
  Problem problem_;
  std::map<std::pair<std::string, Rung>, Admissible> admitted_;
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

bool is_narrow(const Admissible& admissible) {
  const auto narrow = [](const Place& place) {
    return place.kind != PlaceKind::checked ||
           place.exact.hi - place.exact.lo <= 0x1p-20 * place.radius;
  };
  return std::all_of(admissible.o.begin(), admissible.o.end(), narrow) &&
         std::all_of(admissible.lse.begin(), admissible.lse.end(), narrow);
}

std::string describe(const Miss& miss) {
  return fmt::format(
      "{} = {:a} ({:.9g}), exact [{:.9g}, {:.9g}], radius {:.3g}, allowed [{:.9g}, {:.9g}]",
      miss.place, miss.got, miss.got, miss.allowed.exact.lo, miss.allowed.exact.hi,
      miss.allowed.radius, miss.allowed.allowed.lo, miss.allowed.allowed.hi);
}

/// Why the candidate is wrong on the case; absent if it is not.
std::optional<std::string> judge(Candidate& candidate, Case& drawn, double* worst) {
  const Observation seen = candidate.run(drawn.problem());
  if (seen.status != RunStatus::ok) return fmt::format("ended badly: {}", seen.message);
  if (!seen.faults.empty()) {
    return fmt::format("fault at {}: {}", seen.faults.front().tensor, seen.faults.front().detail);
  }
  const Contract contract = candidate.contracts().at(drawn.problem().format);
  // What lies well inside is settled by the first rung, more of it where its enclosures are narrow;
  // elsewhere they are too wide to say more (docs/properties.md, The first rung).
  double ratio = 0;
  const Admissible& first = drawn.admitted(contract, Rung::first);
  const double inside = is_narrow(first) ? 0.999 : 0.5;
  if (!first_miss(seen.outputs, first, &ratio) && ratio <= inside) {
    *worst = std::max(*worst, ratio);
    return std::nullopt;
  }
  const auto miss = first_miss(seen.outputs, drawn.admitted(contract, Rung::arb), worst);
  if (!miss) return std::nullopt;
  return describe(*miss);
}

}  // namespace

std::int64_t Muster::failures() const {
  std::int64_t sum = 0;
  for (const Record& record : records) sum += static_cast<std::int64_t>(record.failures.size());
  return sum;
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
  const Format format = problem.format;
  Case one(std::move(problem));
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (outside(candidates[c]->contracts().at(format).limits, one.problem())) continue;
    Record& record = result.records[c];
    ++record.cases;
    const double before = record.worst;
    const auto failure = judge(*candidates[c], one, &record.worst);
    if (record.worst > before) record.worst_case = number;
    if (failure) {
      record.failures.push_back(
          fmt::format("{}: {}\n  {}", where, *failure, write_case(one.problem())));
    }
  }
  Tally tally;
  const Contract contract = candidates.front()->contracts().at(format);
  const Admissible& admissible = one.admitted(contract, Rung::first);
  for (const Place& place : admissible.o) tally.add(place.kind);
  for (const Place& place : admissible.lse) tally.add(place.kind);
  result.strata[std::string(stratum)] += tally;
  result.total += tally;
}

Muster empty_muster(const std::vector<Candidate*>& candidates) {
  Muster result;
  for (const Candidate* candidate : candidates) {
    result.records.push_back({candidate->name(), 0, 0, 0, {}});
  }
  return result;
}

}  // namespace

Muster muster(const std::vector<Candidate*>& candidates, const Draws& draws) {
  Domain domain;
  domain.formats = {draws.format};
  Muster result = empty_muster(candidates);
  for (std::int64_t n = draws.first; n < draws.first + draws.cases; ++n) {
    const std::uint64_t case_seed = mix(mix(draws.seed) + static_cast<std::uint64_t>(n));
    Choices choices = Choices::from_seed(case_seed);
    Drawn drawn = draw(choices, domain);
    if (!draws.stratum.empty() && draws.stratum != drawn.stratum) continue;
    const std::string where = fmt::format("seed {} case {} ({})", draws.seed, n, drawn.stratum);
    put_to_all(candidates, std::move(drawn.problem), n, where, drawn.stratum, result);
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
