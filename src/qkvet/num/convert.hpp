// The conversions of format.hpp, inline: for loops over whole tensors. Rounding takes integer
// steps only, so that the rounding mode of the processor does not count.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <qkvet/num/format.hpp>

namespace qkvet::convert {

/// decode() of a 16-bit format whose numbers begin with `fraction_bits` and exponent `1 - bias`.
[[nodiscard]] inline double widen_low(std::uint64_t bits, int fraction_bits, std::uint64_t bias,
                                      double eta) {
  const std::uint64_t rest = bits & 0x7fff;
  const std::uint64_t sign = (bits & 0x8000) << 48;
  const std::uint64_t infinity = (std::uint64_t{0x7fff} >> fraction_bits) << fraction_bits;
  std::uint64_t magnitude = (rest << (52 - fraction_bits)) + ((1023 - bias) << 52);
  if (rest >> fraction_bits == 0) {  // zero or subnormal: units of the smallest number
    magnitude = std::bit_cast<std::uint64_t>(static_cast<double>(rest) * eta);
  } else if (rest >= infinity) {
    magnitude = rest > infinity ? 0x7ff8000000000000 : 0x7ff0000000000000;
  }
  return std::bit_cast<double>(sign | magnitude);
}

/// decode() of a Format that is known.
template <Format format>
[[nodiscard]] inline double widen(std::uint64_t bits) {
  if constexpr (format == Format::binary64) {
    return std::bit_cast<double>(bits);
  } else if constexpr (format == Format::binary32) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  } else if constexpr (format == Format::binary16) {
    return widen_low(bits, 10, 15, 0x1p-24);
  } else {
    return widen_low(bits, 7, 127, 0x1p-133);
  }
}

/// encode() for a format with fewer fraction bits than binary64 and the exponents of FormatInfo.
[[nodiscard]] inline std::uint64_t round_once(double value, int fraction_bits, int e_min,
                                              std::uint64_t infinity) {
  constexpr std::uint64_t one = 1, hidden = one << 52, all = 0x7fffffffffffffff;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & all;
  if (magnitude > 0x7ff0000000000000) return infinity | (one << (fraction_bits - 1));
  // The sign stands above the exponent, whose ones are those of infinity.
  const std::uint64_t sign = (bits & ~all) != 0 ? infinity + (one << fraction_bits) : 0;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  int drop = 52 - fraction_bits;
  std::uint64_t wide = 0;
  if (exponent >= e_min) {
    wide = magnitude - (static_cast<std::uint64_t>(e_min + 1022) << 52);
  } else {  // subnormal in the format: one more bit is lost for each exponent below
    drop += e_min - exponent;
    if (drop > 54) return sign;  // below half of the smallest number
    wide = (magnitude & (hidden - 1)) | hidden;
  }
  // Half a unit less one, and one if the integer is odd: ties go to even. A carry moves into the
  // exponent by itself.
  const std::uint64_t odd = (wide >> drop) & 1;
  const std::uint64_t rounded = (wide + (one << (drop - 1)) - 1 + odd) >> drop;
  return sign | std::min(rounded, infinity);
}

/// encode() of a Format that is known.
template <Format format>
[[nodiscard]] inline std::uint64_t narrow(double value) {
  if constexpr (format == Format::binary64) {
    return std::isnan(value) ? std::uint64_t{0x7ff8000000000000}
                             : std::bit_cast<std::uint64_t>(value);
  } else if constexpr (format == Format::binary32) {
    return round_once(value, 23, -126, 0x7f800000);
  } else if constexpr (format == Format::binary16) {
    return round_once(value, 10, -14, 0x7c00);
  } else {
    return round_once(value, 7, -126, 0x7f80);
  }
}

template <Format format>
struct Known {
  static constexpr Format value = format;
};

/// Calls fn with Known<format>{}: the format is chosen once, before a loop.
template <class Fn>
inline decltype(auto) with_format(Format format, Fn&& fn) {
  switch (format) {
    case Format::binary32:
      return fn(Known<Format::binary32>{});
    case Format::binary16:
      return fn(Known<Format::binary16>{});
    case Format::bfloat16:
      return fn(Known<Format::bfloat16>{});
    case Format::binary64:
      break;
  }
  return fn(Known<Format::binary64>{});
}

}  // namespace qkvet::convert
