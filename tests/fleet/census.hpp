// What the statistics of docs/bounds.md 10 come to on the honest kernels of the fleet: the source
// of critical values, and the test of their stated rate.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

/// How often honest kernels are called SUSPECT, on cases 0 to `cases` of a seed.
struct Rate {
  std::int64_t cases = 0, pairs = 0;  ///< pairs of a case and a kernel
  std::int64_t above = 0;             ///< some statistic above its critical value at first sight
  std::int64_t suspect = 0;           ///< repeated by two redraws: what a user would be shown
  double stated = 0;                  ///< the most that `above` may be, as a share of pairs
  std::vector<std::string> messages;  ///< of the suspects

  [[nodiscard]] bool holds() const {
    return static_cast<double>(above) <= stated * static_cast<double>(pairs);
  }
  [[nodiscard]] std::string text() const;
};
/// Absent where the format has no critical values. Throws InputError if `seed` calibrated them.
[[nodiscard]] std::optional<Rate> rate_of_suspects(qkvet::Format format, std::uint64_t seed,
                                                   std::int64_t cases);

}  // namespace fleet
