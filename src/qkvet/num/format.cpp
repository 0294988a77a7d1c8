#include <qkvet/num/format.hpp>

#include <array>
#include <qkvet/num/convert.hpp>
#include <qkvet/num/strict_math.hpp>

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
  return convert::with_format(
      format, [&](auto known) { return convert::widen<decltype(known)::value>(bits); });
}

std::uint64_t encode(Format format, double value) {
  return convert::with_format(
      format, [&](auto known) { return convert::narrow<decltype(known)::value>(value); });
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
