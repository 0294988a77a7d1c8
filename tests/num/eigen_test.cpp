// binary16 and bfloat16 against Eigen's: every encoding, and floats of every exponent.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <cstdint>
#include <qkvet/num/format.hpp>
#include <qkvet/problem/draw.hpp>

namespace qkvet {
namespace {

template <class Theirs>
void compare(Format format) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto theirs = std::bit_cast<Theirs>(static_cast<std::uint16_t>(bits));
    const auto value = static_cast<float>(theirs);
    if (is_nan(format, bits)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      continue;
    }
    ASSERT_EQ(std::bit_cast<std::uint64_t>(static_cast<double>(value)),
              std::bit_cast<std::uint64_t>(decode(format, bits)))
        << bits;
  }
  Choices choices = Choices::from_seed(11);
  for (int n = 0; n < 300000; ++n) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(choices.below(1ULL << 32)));
    if (std::isnan(x)) continue;
    ASSERT_EQ(std::bit_cast<std::uint16_t>(Theirs(x)), encode(format, static_cast<double>(x)))
        << x;
  }
}

TEST(Eigen, HalfAndBfloat16AreRoundedAlike) {
  compare<Eigen::half>(Format::binary16);
  compare<Eigen::bfloat16>(Format::bfloat16);
}

}  // namespace
}  // namespace qkvet
