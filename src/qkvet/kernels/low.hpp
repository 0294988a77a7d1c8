// binary16 and bfloat16 as the kernels read and write them. Own code, a few bit operations: the
// judge's conversions (num/format) are another implementation, and a test compares both.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace qkvet::kernels {

/// An encoding of binary16.
struct F16 {
  std::uint16_t bits;
};
/// An encoding of bfloat16.
struct BF16 {
  std::uint16_t bits;
};

/// The value of a stored number, exact.
[[nodiscard]] inline double wide(double x) { return x; }
[[nodiscard]] inline float wide(float x) { return x; }
[[nodiscard]] inline float wide(BF16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}
[[nodiscard]] inline float wide(F16 x) {
  const std::uint32_t sign = static_cast<std::uint32_t>(x.bits & 0x8000U) << 16;
  const std::uint32_t rest = x.bits & 0x7fffU;
  if (rest < 0x0400U) {  // zero or subnormal: units of 2^-24
    const float magnitude = static_cast<float>(rest) * 0x1p-24F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
  }
  const std::uint32_t bias = rest < 0x7c00U ? 0x38000000U : 0x70000000U;  // infinity and NaN stay
  return std::bit_cast<float>(sign | ((rest << 13) + bias));
}

/// x rounded once to the stored format, ties to even; overflow gives infinity.
template <class Stored>
[[nodiscard]] Stored narrow(float x);
template <>
[[nodiscard]] inline float narrow<float>(float x) {
  return x;
}
template <>
[[nodiscard]] inline BF16 narrow<BF16>(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (std::isnan(x)) return {static_cast<std::uint16_t>((bits >> 16) | 0x40U)};
  return {static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16)};
}
template <>
[[nodiscard]] inline F16 narrow<F16>(float x) {
  const auto all = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = (all >> 16) & 0x8000U, bits = all & 0x7fffffffU;
  std::uint32_t out = 0;
  if (bits > 0x7f800000U) {
    out = 0x7e00U;  // NaN
  } else if (bits >= 0x477ff000U) {
    out = 0x7c00U;  // from 65520 on: the tie between 65504 and 65536 goes to the even one
  } else if (bits >= 0x38800000U) {
    out = (bits - 0x38000000U + 0xfffU + ((bits >> 13) & 1U)) >> 13;
  } else {  // subnormal: an integer of 2^-24
    out = static_cast<std::uint32_t>(std::nearbyint(std::bit_cast<float>(bits) * 0x1p24F));
  }
  return {static_cast<std::uint16_t>(sign | out)};
}

}  // namespace qkvet::kernels
