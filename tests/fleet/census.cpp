#include "census.hpp"

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
  const bool low = info(format).bytes == 2;
  for (std::size_t n = 0; n < recipes().size(); ++n) {
    if (low || !recipes()[n].low_only) out.push_back(in_process(candidate(n)));
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
                  .emplace(digest(contract), Judged{admit(problem, contract, Rung::first),
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

}  // namespace fleet
