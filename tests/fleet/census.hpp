// What the statistics of docs/bounds.md 10 come to on the honest kernels of the fleet: the source
// of critical values, and the test of their stated rate.
#pragma once

#include <cstdint>
#include <memory>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/check/statistics.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace fleet {

/// The kernels of the fleet that take `format`, and the built-in ones.
[[nodiscard]] std::vector<std::unique_ptr<qkvet::Candidate>> honest_kernels(qkvet::Format format);

/// The statistics of every kernel on one problem, each under its own contract. Kernels whose limits
/// exclude the problem, and contracts without a model, are left out.
struct Row {
  std::string kernel;
  qkvet::Statistics statistics;
};
[[nodiscard]] std::vector<Row> statistics_on(
    const qkvet::Problem& problem,
    const std::vector<std::unique_ptr<qkvet::Candidate>>& kernels);

/// Case number `n` of `seed`: redrawn until its V is random and some place is tested.
struct Counted {
  qkvet::Problem problem;
  std::string_view stratum;
  std::vector<Row> rows;
};
[[nodiscard]] Counted counted_case(
    qkvet::Format format, std::uint64_t seed, std::int64_t n,
    const std::vector<std::unique_ptr<qkvet::Candidate>>& kernels);

}  // namespace fleet
