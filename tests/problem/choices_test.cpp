// The streams of choices byte by byte: lowest byte first, and what lies behind the end.
#include <gtest/gtest.h>

#include <array>
#include <qkvet/problem/draw.hpp>

namespace qkvet {
namespace {

constexpr std::uint64_t endless = ~std::uint64_t{0};

TEST(Choices, ReadTheLowestByteFirstAndZerosBehindTheEnd) {
  std::array<std::uint8_t, 13> bytes{};
  for (std::size_t n = 0; n < bytes.size(); ++n) bytes[n] = static_cast<std::uint8_t>(n + 1);
  Choices c = Choices::from_bytes(bytes);
  EXPECT_EQ(c.below(256), 1u);
  EXPECT_EQ(c.below(65536), 0x0302u);
  EXPECT_EQ(c.bits(), 0x0b0a090807060504u);
  EXPECT_EQ(c.bits(), 0x0d0cu) << "two bytes are left";
  EXPECT_EQ(c.bits(), 0u);
  EXPECT_EQ(c.below(7), 0u);
}

TEST(Choices, OfAPartGoOnWithTheBytesOfItsSeed) {
  std::vector<ChoicePart> parts(draw_parts);
  ChoicePart& part = parts[static_cast<std::size_t>(DrawPart::values)];
  part = {{1, 2, 3}, 17, 5};
  Choices c = Choices::from_parts(parts);
  c.enter(DrawPart::values);
  std::uint64_t index = part.skip;
  const auto wanted = [&](std::uint64_t word, int from) {
    for (int n = from; n < 8; ++n) word |= std::uint64_t{seeded_byte(17, index++)} << (8 * n);
    return word;
  };
  EXPECT_EQ(c.bits(), wanted(0x030201, 3)) << "across the end of the bytes";
  EXPECT_EQ(c.bits(), wanted(0, 0));
  EXPECT_EQ(c.below(256), seeded_byte(17, index++));
  EXPECT_EQ(c.below(endless), wanted(0, 0) % endless);
}

}  // namespace
}  // namespace qkvet
