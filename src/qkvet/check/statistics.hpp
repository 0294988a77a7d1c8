// Numbers that say whether the errors of one run look like those of honest kernels, and the values
// that honest kernels do not exceed. Never a proof.  docs/bounds.md 10
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <qkvet/bound/spread.hpp>
#include <qkvet/check/property.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace qkvet {

/// docs/bounds.md 10.4. Of outputs: the largest |error| / sigma, its root mean square, the error
/// along the output (a relative error common to all); the largest error / PROB. Of LSEs: the
/// largest |error| / sigma, and the sum over rows.
enum class Statistic : std::uint8_t { z, agg, along, prob, lse, lse_sum };
inline constexpr std::size_t statistic_count = 6;
inline constexpr std::array<std::string_view, statistic_count> statistic_names{
    "z", "agg", "along", "prob", "lse", "lse-sum"};

struct Statistics {
  std::array<double, statistic_count> values{};
  PlaceIndex worst, worst_lse;  ///< where z is largest, among outputs and among LSEs
  std::int64_t places = 0;      ///< that the model speaks of

  [[nodiscard]] double operator[](Statistic s) const { return values[static_cast<std::size_t>(s)]; }
};

/// Of what a candidate returned for one problem; `admissible` holds the exact values.
[[nodiscard]] Statistics statistics_of(const Problem& problem, const Outputs& outputs,
                                       const Admissible& admissible, const Spreads& spreads);

/// Critical values of one storage format, with how they came about.
struct Calibration {
  Format format = Format::binary32;
  std::int64_t cases = 0, kernels = 0;
  std::uint64_t seed = 0;
  std::string date;
  std::array<double, statistic_count> critical{};

  /// The most that a case may come out above some critical value, for any kernel of the fleet on a
  /// new case of the same distribution: (number of statistics) / (cases + 1).  docs/bounds.md 10.5
  [[nodiscard]] double rate() const;
};

/// Null if nobody calibrated the format.
[[nodiscard]] const Calibration* calibration_of(Format format);

/// "f32 cases 1000 kernels 20 seed 7 date 2026-01-31 z 9.1 ..." as one line, and strictly back.
[[nodiscard]] std::string write_calibration(const Calibration& calibration);
/// InputError(bad_data) with source, line and field.
[[nodiscard]] std::vector<Calibration> read_calibrations(std::string_view text,
                                                         std::string_view source);

/// The statistic that is furthest above its critical value, if one is. Of `prob` that is at least
/// 1: a bound says nothing of errors within it, and under a contract with one rounding at the end
/// honest errors come as far as the bound itself.  docs/bounds.md 10.5
struct Excess {
  Statistic statistic = Statistic::z;
  double value = 0, critical = 0;

  [[nodiscard]] std::string_view name() const {
    return statistic_names[static_cast<std::size_t>(statistic)];
  }
  [[nodiscard]] bool of_lse() const {
    return statistic == Statistic::lse || statistic == Statistic::lse_sum;
  }
};
[[nodiscard]] std::optional<Excess> excess_of(const Statistics& seen,
                                              const Calibration& calibration);

namespace detail {
/// calibration/critical.txt, embedded at build time.
[[nodiscard]] std::string_view embedded_calibration();
}  // namespace detail

}  // namespace qkvet
