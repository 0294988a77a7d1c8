// Matrix units, simulated step by step: operands in TF32, weights in 8 bits, adders that take
// several products at once. docs/bounds.md 1.5, 1.6, 4.7
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace qkvet::test {

/// x on the grid of 2^quantum; `rounded` to nearest even, else cut off.
[[nodiscard]] inline double on_grid(double x, int quantum, bool rounded) {
  const double scaled = std::ldexp(x, -quantum);
  return std::ldexp(rounded ? std::nearbyint(scaled) : std::trunc(scaled), quantum);
}
[[nodiscard]] inline int exponent(double x) { return std::fabs(x) > 0 ? std::ilogb(x) : -2000; }

/// TF32: 11 bits, the exponents of f32. Infinities and NaN stay.
[[nodiscard]] inline float tf32(float x, bool rounded) {
  const auto wide = static_cast<double>(x);
  if (!std::isfinite(wide)) return x;
  return static_cast<float>(on_grid(wide, std::max(exponent(wide), -126) - 10, rounded));
}

/// 4 bits from 2^-6 to 448, subnormals of 2^-9, saturating. NaN stays.
[[nodiscard]] inline float e4m3(float x) {
  const auto wide = static_cast<double>(x);
  if (std::isnan(wide)) return x;
  const double kept = std::clamp(wide, -448.0, 448.0);
  return static_cast<float>(on_grid(kept, std::max(exponent(kept), -6) - 3, true));
}
/// 3 bits from 2^-14, subnormals of 2^-16; weights never reach its largest number.
[[nodiscard]] inline float e5m2(float x) {
  const auto wide = static_cast<double>(x);
  if (!std::isfinite(wide)) return x;
  return static_cast<float>(on_grid(wide, std::max(exponent(wide), -14) - 2, true));
}

/// One step of a matrix unit: `sum` (an f32 number) and exact products, aligned to the largest of
/// them, cut off below 24 bits, added exactly, cut off to 24 bits.
[[nodiscard]] inline double add_block(double sum, std::span<const double> products) {
  int top = exponent(sum);
  double plain = sum;
  for (const double product : products) {
    plain += product;
    if (std::isfinite(product)) top = std::max(top, exponent(product));
  }
  if (!std::isfinite(plain)) return plain;  // some term is not finite
  double total = on_grid(sum, top - 23, false);
  for (const double product : products) total += on_grid(product, top - 23, false);
  return static_cast<double>(static_cast<float>(on_grid(total, exponent(total) - 23, false)));
}

/// A chain of such steps of `terms` products each.
[[nodiscard]] inline float block_sum(std::span<const double> products, std::size_t terms,
                                     float start = 0) {
  auto sum = static_cast<double>(start);
  for (std::size_t from = 0; from < products.size(); from += terms) {
    sum = add_block(sum, products.subspan(from, std::min(terms, products.size() - from)));
  }
  return static_cast<float>(sum);
}

}  // namespace qkvet::test
