// The storage formats: exact decoding, one rounding, ties to even.
#include <qkvet/num/format.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace qkvet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

TEST(Format, EveryHalfPrecisionEncodingSurvivesDecodeAndEncode) {
  for (Format format : {Format::binary16, Format::bfloat16}) {
    for (std::uint64_t bits = 0; bits < 65536; ++bits) {
      const double value = decode(format, bits);
      EXPECT_EQ(std::isnan(value), is_nan(format, bits));
      EXPECT_EQ(std::isinf(value), is_infinite(format, bits));
      EXPECT_EQ(std::isfinite(value), is_finite(format, bits));
      if (!std::isnan(value)) {
        EXPECT_TRUE(same_bits(encode(format, value), bits)) << bits;
      }
    }
  }
}

TEST(Format, MidpointsOfHalfPrecisionGoToTheEvenNeighbour) {
  for (Format format : {Format::binary16, Format::bfloat16}) {
    const std::uint64_t largest = encode(format, info(format).max);
    for (std::uint64_t bits = 0; bits < largest; ++bits) {
      const double low = decode(format, bits), high = decode(format, bits + 1);
      const double middle = low / 2 + high / 2;  // exact: one bit more than the format
      EXPECT_EQ(encode(format, middle), bits + (bits & 1)) << bits;
      EXPECT_EQ(encode(format, std::nextafter(middle, low)), bits) << bits;
      EXPECT_EQ(encode(format, std::nextafter(middle, high)), bits + 1) << bits;
    }
  }
}

TEST(Format, ADoubleIsRoundedOnceNotThroughBinary32) {
  // A little above the middle: binary32 rounds it to the middle, which then goes to the even side.
  for (Format format : {Format::binary16, Format::bfloat16}) {
    int differ = 0;
    const std::uint64_t largest = encode(format, info(format).max);
    for (std::uint64_t bits = 0; bits < largest; bits += 2) {
      const double low = decode(format, bits), high = decode(format, bits + 1);
      const double value = std::nextafter(low / 2 + high / 2, high);
      EXPECT_EQ(encode(format, value), bits + 1) << bits;
      const auto through = static_cast<double>(static_cast<float>(value));
      differ += encode(format, through) == bits ? 1 : 0;
    }
    EXPECT_GT(differ, 15000) << "the values that this test is about";
  }
}

TEST(Format, Binary32RoundsAsTheProcessorDoes) {
  for (std::uint64_t n = 0; n < 200'000; ++n) {
    const double value = std::bit_cast<double>(mixed(n));
    if (!std::isnormal(value)) continue;
    // Fold the exponent into and just around the range of binary32.
    const double folded = std::ldexp(value, static_cast<int>(n % 320) - 170 - std::ilogb(value));
    const auto processor = std::bit_cast<std::uint32_t>(static_cast<float>(folded));
    EXPECT_TRUE(same_bits(encode(Format::binary32, folded), processor)) << n;
  }
}

TEST(Format, OverflowAndUnderflowRoundOnce) {
  for (Format format :
       {Format::binary64, Format::binary32, Format::binary16, Format::bfloat16}) {
    const FormatInfo& p = info(format);
    EXPECT_TRUE(same_bits(encode(format, decode(format, encode(format, p.max))),
                          encode(format, p.max)));
    EXPECT_TRUE(is_infinite(format, encode(format, infinity)));
    EXPECT_TRUE(is_infinite(format, encode(format, -infinity)));
    EXPECT_TRUE(is_nan(format, encode(format, std::nan(""))));
    EXPECT_TRUE(same_bits(encode(format, p.eta), 1));
    if (format == Format::binary64) continue;
    EXPECT_TRUE(same_bits(encode(format, p.eta / 2), 0)) << p.name;
    EXPECT_TRUE(same_bits(encode(format, std::nextafter(p.eta / 2, 1.0)), 1)) << p.name;
    const double border = p.max + std::ldexp(p.u, p.e_max);  // halfway to the next power of two
    EXPECT_TRUE(is_infinite(format, encode(format, border))) << p.name;
    EXPECT_FALSE(is_infinite(format, encode(format, std::nextafter(border, 0.0)))) << p.name;
  }
}

TEST(Format, SignsAndNamesSurvive) {
  for (Format format :
       {Format::binary64, Format::binary32, Format::binary16, Format::bfloat16}) {
    EXPECT_TRUE(std::signbit(decode(format, encode(format, -0.0))));
    EXPECT_EQ(format_named(info(format).name), format);
  }
  EXPECT_FALSE(format_named("fp32"));
}

}  // namespace
}  // namespace qkvet
