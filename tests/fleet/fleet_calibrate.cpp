// fleet_calibrate --format F [--cases N] [--seed S] [--date D] [--verbose]: the line of
// calibration/critical.txt for a storage format. Each critical value is the largest that any honest
// kernel reaches on N cases; --verbose shows who reached it, and where.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "census.hpp"

namespace {

using namespace qkvet;

struct Peak {
  double value = 0;
  std::int64_t number = 0;
  std::string_view stratum;
};

int run(Format format, std::int64_t cases, std::uint64_t seed, const std::string& date,
        bool verbose) {
  const auto kernels = fleet::honest_kernels(format);
  std::map<std::string, std::array<Peak, statistic_count>> peaks;
  Calibration out{format, cases, static_cast<std::int64_t>(kernels.size()), seed, date, {}};
  for (std::int64_t n = 0; n < cases; ++n) {
    const fleet::Counted one = fleet::counted_case(format, seed, n, kernels);
    for (const fleet::Row& row : one.rows) {
      for (std::size_t s = 0; s < statistic_count; ++s) {
        const double value = row.statistics.values[s];
        out.critical[s] = std::max(out.critical[s], value);
        Peak& peak = peaks[row.kernel][s];
        if (value > peak.value) peak = {value, n, one.stratum};
      }
    }
  }
  if (verbose) {
    for (const auto& [kernel, all] : peaks) {
      fmt::print("# {:<30}", kernel);
      for (const Peak& peak : all) fmt::print(" {:9.3g} {:<8.8}", peak.value, peak.stratum);
      fmt::print("\n");
    }
  }
  // Rounded up to what the file holds.
  for (double& value : out.critical) value = std::ceil(value * 1e3) / 1e3;
  fmt::print("{}", write_calibration(out));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::optional<Format> format;
  std::int64_t cases = 1000;
  std::uint64_t seed = 20261130;
  std::string date = "unknown";
  bool verbose = false;
  for (int n = 1; n < argc; ++n) {
    const std::string_view name = argv[n];
    if (name == "--verbose") {
      verbose = true;
      continue;
    }
    if (n + 1 == argc) return 2;
    const std::string value = argv[++n];
    if (name == "--format") {
      format = format_named(value);
    } else if (name == "--cases") {
      cases = std::atoll(value.c_str());
    } else if (name == "--seed") {
      seed = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--date") {
      date = value;
    } else {
      return 2;
    }
  }
  if (!format || cases < 1) {
    fmt::print(stderr,
               "usage: fleet_calibrate --format f32|f64|f16|bf16 [--cases N] [--seed S] [--date D] "
               "[--verbose]\n");
    return 2;
  }
  return run(*format, cases, seed, date, verbose);
}
