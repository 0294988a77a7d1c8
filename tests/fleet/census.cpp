#include "census.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <qkvet/campaign/profiles.hpp>
#include <qkvet/check/suspicion.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/problem/draw.hpp>

#include "fleet.hpp"

namespace fleet {

using namespace qkvet;

std::vector<std::unique_ptr<Candidate>> honest_kernels(Format format) {
  std::vector<std::unique_ptr<Candidate>> out;
  for (std::size_t n = 0; n < recipes().size(); ++n) {
    if (takes(recipes()[n], format)) out.push_back(in_process(candidate(n)));
  }
  for (const std::string_view name : builtin_kernel_names()) {
    out.push_back(in_process(*builtin_kernel(name)));
  }
  return out;
}

std::vector<Row> statistics_on(const Problem& problem,
                               const std::vector<std::unique_ptr<Candidate>>& kernels) {
  struct Judged {
    Admissible admissible;
    Spreads spreads;
  };
  std::map<std::string, Judged> contracts;
  std::vector<Row> out;
  for (const auto& kernel : kernels) {
    const Contract contract = kernel->contracts().at(problem.format);
    if (outside(contract.limits, problem) || !has_model(contract.arithmetic)) continue;
    auto known = contracts.find(digest(contract));
    if (known == contracts.end()) {
      known = contracts
                  .emplace(digest(contract), Judged{admit(problem, contract, rung_of(problem.format)),
                                                    spreads(problem, contract)})
                  .first;
    }
    const Observation seen = kernel->run(problem, output_formats(contract));
    if (seen.status != RunStatus::ok) continue;
    out.push_back({kernel->name(), statistics_of(problem, seen.outputs, known->second.admissible,
                                                 known->second.spreads)});
  }
  return out;
}

Counted counted_case(Format format, std::uint64_t seed, std::int64_t n,
                     const std::vector<std::unique_ptr<Candidate>>& kernels) {
  Domain domain;
  domain.formats = {format};
  domain.work_budget = 2'000'000;
  for (std::uint64_t redraw = 0;; ++redraw) {
    Choices choices =
        Choices::from_seed(mix(mix(mix(seed) + static_cast<std::uint64_t>(n)) + redraw));
    Drawn drawn = draw(choices, domain);
    if (!has_random_values(drawn.stratum)) continue;
    std::vector<Row> rows = statistics_on(drawn.problem, kernels);
    const auto tested = [](const Row& row) { return row.statistics.places > 0; };
    if (std::any_of(rows.begin(), rows.end(), tested)) {
      return {std::move(drawn.problem), drawn.stratum, std::move(rows)};
    }
  }
}

std::string Rate::text() const {
  return fmt::format(
      "SUSPECT: {} of {} pairs of a case and a kernel above a critical value at first sight "
      "({:.2g} %, stated at most {:.2g} %), {} suspect; {} cases",
      above, pairs, 100 * static_cast<double>(above) / static_cast<double>(std::max(pairs, 1L)),
      100 * stated, suspect, cases);
}

std::optional<Rate> rate_of_suspects(Format format, std::uint64_t seed, std::int64_t cases) {
  const Calibration* const calibration = calibration_of(format);
  if (calibration == nullptr) return std::nullopt;
  if (calibration->seed == seed) {
    throw InputError(ExitCode::usage, "these cases made the critical values: take another seed");
  }
  const auto kernels = honest_kernels(format);
  std::map<std::string, Candidate*> by_name;
  for (const auto& kernel : kernels) by_name[kernel->name()] = kernel.get();
  Rate rate;
  rate.stated = calibration->rate();
  for (std::int64_t n = 0; n < cases; ++n) {
    const Counted one = counted_case(format, seed, n, kernels);
    const PlannedRun run{one.problem, ""};
    ++rate.cases;
    for (const Row& row : one.rows) {
      ++rate.pairs;
      if (!excess_of(row.statistics, *calibration)) continue;
      ++rate.above;
      Candidate& kernel = *by_name.at(row.kernel);
      const Contract contract = kernel.contracts().at(one.problem.format);
      const Exhibit shown{&run, &contract, admit(one.problem, contract, rung_of(format)),
                          kernel.run(one.problem, output_formats(contract))};
      if (const auto found = suspicion(shown, kernel, {})) {
        ++rate.suspect;
        rate.messages.push_back(
            fmt::format("{}, case {}: {}", row.kernel, n, found->finding.message));
      }
    }
  }
  return rate;
}

}  // namespace fleet
