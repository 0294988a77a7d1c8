// scripts/nightly exp: 2^x of each path of flash over every float from -0 down to -150, against the C library's
// exp2 in double, whose own error is 2^-29 of an ulp here. Exit 1 if one is off by more than is documented.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <qkvet/kernels/flash.hpp>
#include <qkvet/kernels/flash/job.hpp>
#include <string>
#include <string_view>

namespace {

struct Worst {
  double ulps = 0;      ///< where the exact result is a normal number
  float at = 0;
  double below = 0;     ///< the largest error where it is smaller, in units of 2^-126
};

Worst worst_of(const qkvet::kernels::fast::Path& path) {
  constexpr std::uint32_t first = 0x80000000U, last = 0xc3160000U;
  constexpr std::size_t many = 1024;
  std::array<float, many> x{}, y{};
  Worst worst;
  for (std::uint32_t bits = first; bits < last; bits += many) {
    for (std::uint32_t n = 0; n < many; ++n) x[n] = std::bit_cast<float>(bits + n);
    path.exp2(x.data(), y.data(), many);
    for (std::size_t n = 0; n < many; ++n) {
      const double exact = std::exp2(static_cast<double>(x[n]));
      const double error = std::fabs(static_cast<double>(y[n]) - exact);
      if (!(exact >= 0x1p-126)) {
        worst.below = std::max(worst.below, error * 0x1p126);
        continue;
      }
      const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(exact) >> 52) - 1023;
      const double ulps = error * std::bit_cast<double>(static_cast<std::uint64_t>(1046 - exponent) << 52);
      if (ulps <= worst.ulps) continue;
      worst.ulps = std::isnan(ulps) ? 1e300 : ulps;
      worst.at = x[n];
    }
  }
  return worst;
}

}  // namespace

int main() {
  int status = 0;
  for (const std::string_view name : qkvet::kernels::flash_paths()) {
    const std::string path(name);
    const Worst worst = worst_of(*qkvet::kernels::fast::path_named(path.c_str()));
    const double limit = path == "plain" ? 1.1 : 1.0;
    const bool good = worst.ulps <= limit && worst.below <= 1;
    std::printf("%-5s  worst %.4f ulp at %a (limit %.1f); below 2^-126 off by at most %.3f of it: %s\n", path.c_str(),
                worst.ulps, static_cast<double>(worst.at), limit, worst.below, good ? "good" : "BAD");
    if (!good) status = 1;
  }
  return status;
}
