#include <qkvet/num/format.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#ifdef __FAST_MATH__
#error "qkvet judges floating point: build it without -ffast-math"
#endif

namespace qkvet {
namespace {

struct Fields {
  int exponent_bits, fraction_bits;
};

constexpr Fields fields(Format format) {
  switch (format) {
    case Format::binary64: return {11, 52};
    case Format::binary32: return {8, 23};
    case Format::binary16: return {5, 10};
    case Format::bfloat16: return {8, 7};
  }
  return {11, 52};
}

constexpr std::uint64_t exponent_mask(Fields f) {
  return ((std::uint64_t{1} << f.exponent_bits) - 1) << f.fraction_bits;
}
constexpr std::uint64_t fraction_mask(Fields f) { return (std::uint64_t{1} << f.fraction_bits) - 1; }
constexpr std::uint64_t sign_mask(Fields f) {
  return std::uint64_t{1} << (f.exponent_bits + f.fraction_bits);
}

}  // namespace

const FormatInfo& info(Format format) {
  static constexpr std::array<FormatInfo, 4> table{{
      {"f64", 53, -1022, 1023, 8, 0x1p-53, 0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023},
      {"f32", 24, -126, 127, 4, 0x1p-24, 0x1p-149, 0x1p-126, 0x1.fffffep127},
      {"f16", 11, -14, 15, 2, 0x1p-11, 0x1p-24, 0x1p-14, 0x1.ffcp15},
      {"bf16", 8, -126, 127, 2, 0x1p-8, 0x1p-133, 0x1p-126, 0x1.fep127},
  }};
  return table[static_cast<std::size_t>(format)];
}

std::optional<Format> format_named(std::string_view name) {
  for (Format f : {Format::binary64, Format::binary32, Format::binary16, Format::bfloat16}) {
    if (info(f).name == name) return f;
  }
  return std::nullopt;
}

double decode(Format format, std::uint64_t bits) {
  if (format == Format::binary64) return std::bit_cast<double>(bits);
  if (format == Format::binary32) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  const Fields f = fields(format);
  const bool negative = (bits & sign_mask(f)) != 0;
  const std::uint64_t exponent = (bits & exponent_mask(f)) >> f.fraction_bits;
  const std::uint64_t fraction = bits & fraction_mask(f);
  double magnitude = 0.0;
  if (exponent == exponent_mask(f) >> f.fraction_bits) {
    magnitude = fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                              : std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(fraction), info(format).e_min - f.fraction_bits);
  } else {
    magnitude = std::ldexp(static_cast<double>(fraction | (fraction_mask(f) + 1)),
                           static_cast<int>(exponent) - 1 + info(format).e_min - f.fraction_bits);
  }
  return negative ? -magnitude : magnitude;
}

std::uint64_t encode(Format format, double value) {
  if (format == Format::binary64) {
    return std::isnan(value) ? std::uint64_t{0x7ff8000000000000} : std::bit_cast<std::uint64_t>(value);
  }
  const Fields f = fields(format);
  const FormatInfo& p = info(format);
  const std::uint64_t infinity = exponent_mask(f);
  if (std::isnan(value)) return infinity | (std::uint64_t{1} << (f.fraction_bits - 1));
  const std::uint64_t sign = std::signbit(value) ? sign_mask(f) : 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | infinity;
  if (!(magnitude > 0.0)) return sign;
  // Round on the integer grid of the target: quantum 2^(e - p + 1), not below eta. The scaling is
  // exact (the quotient is below 2^54 or is far below one half).
  const int exponent = std::max(std::ilogb(magnitude), p.e_min);
  const int quantum = exponent - f.fraction_bits;
  const double scaled = std::ldexp(magnitude, -quantum);
  const double floor = std::floor(scaled);
  const double rest = scaled - floor;
  auto integer = static_cast<std::uint64_t>(floor);
  if (rest > 0.5 || (!(rest < 0.5) && (integer & 1) != 0)) ++integer;
  const std::uint64_t biased = static_cast<std::uint64_t>(exponent - p.e_min) << f.fraction_bits;
  const std::uint64_t bits = biased + integer;  // a carry moves into the exponent by itself
  return sign | std::min(bits, infinity);
}

bool is_nan(Format format, std::uint64_t bits) {
  const Fields f = fields(format);
  return (bits & exponent_mask(f)) == exponent_mask(f) && (bits & fraction_mask(f)) != 0;
}

bool is_infinite(Format format, std::uint64_t bits) {
  const Fields f = fields(format);
  return (bits & exponent_mask(f)) == exponent_mask(f) && (bits & fraction_mask(f)) == 0;
}

bool is_finite(Format format, std::uint64_t bits) {
  const Fields f = fields(format);
  return (bits & exponent_mask(f)) != exponent_mask(f);
}

}  // namespace qkvet
