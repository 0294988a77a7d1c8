// Odd but honest kernels in low formats, simulated in float: each keeps the words of its contract
// in a way that the first code of the bound did not think of.
#include <gtest/gtest.h>

#include <algorithm>

#include "cases.hpp"

namespace qkvet {
namespace {

using test::add_bias;
using test::contract;
using test::lse;
using test::output;
using test::scalars;

constexpr Format bf16 = Format::bfloat16, f16 = Format::binary16;
const char* const natural = "[semantics]\nlse_base = e\nlse_sink = included\n";

double wide(float x) { return static_cast<double>(x); }
float low(Format format, float x) {
  return static_cast<float>(decode(format, encode(format, wide(x))));
}

/// One query at key 0's diagonal + `offset`, keys of score 0 but for ALiBi.
Problem sloped(double slope, Format slope_format, std::int64_t offset, std::size_t keys,
               Format format) {
  std::vector<double> v(keys);
  for (std::size_t j = 0; j < keys; ++j) v[j] = static_cast<double>(j) / 1024;
  Problem p = scalars(0, std::vector<double>(keys, 0), v, format);
  p.alibi_slopes = make_tensor(slope_format, {1, 1, 1, 1});
  p.alibi_slopes->set(0, 0, 0, 0, slope);
  p.mask.diagonal.kind = Diagonal::Kind::fixed;
  p.mask.diagonal.offsets = {offset};
  return p;
}

// Whoever flushes f16 inputs flushes biases, slopes and sinks too.  docs/bounds.md 1.4 and 3.3

TEST(OddFlush, ASubnormalSlopeTimesALongDistance) {
  const Problem p = sloped(0x1p-15, f16, 0, 1000, f16);
  double mean = 0;
  for (std::size_t j = 0; j < 1000; ++j) mean += static_cast<double>(j) / 1024 / 1000;
  const double got = decode(f16, encode(f16, mean));
  EXPECT_TRUE(output(p, contract("f16-any")).contains(got));
  EXPECT_FALSE(output(p, contract("f16-fused")).contains(got));
  EXPECT_TRUE(lse(p, contract("f16-any", "", natural)).contains(std::log(1000.0)));
  EXPECT_FALSE(lse(p, contract("f16-fused", "", natural)).contains(std::log(1000.0)));
}

TEST(OddFlush, ABiasAndASinkBelowTheSmallestNormalNumber) {
  const char* const kept = "weight = f32\nrounds_weight = no\n";
  Problem p = scalars(0, {0}, {1}, f16);
  add_bias(p, {0x1.8p-15}, f16);
  EXPECT_TRUE(lse(p, contract("f16-any", kept, natural)).contains(0));
  EXPECT_FALSE(lse(p, contract("f16-fused", kept, natural)).contains(0));
  p.mask.bias.reset();
  p.sinks = make_tensor(f16, {1, 1, 1, 1});
  p.sinks->set(0, 0, 0, 0, -0x1.8p-15);
  EXPECT_TRUE(lse(p, contract("f16-any", kept, natural)).contains(std::log(2.0)));
  EXPECT_FALSE(lse(p, contract("f16-fused", kept, natural)).contains(std::log(2.0)));
  p.sinks->set(0, 0, 0, 0, -0x1p-14);  // the smallest normal number stays
  EXPECT_FALSE(lse(p, contract("f16-any", kept, natural)).contains(std::log(2.0)));
}

// A framework stores each step of ALiBi and of a softcap.  docs/bounds.md 3.5

TEST(OddStores, EachStepOfAlibi) {
  double worst = 0, roundings = 0;
  for (std::int64_t distance = 257; distance < 512; distance += 2) {
    for (int t = 0; t < 64; ++t) {
      const double slope = 1 + 0x1p-7 * t + 0.99 * 0x1p-8;  // in f32, rounded down in bf16
      const float step =
          low(bf16, low(bf16, static_cast<float>(slope)) * low(bf16, static_cast<float>(distance)));
      const double exact = -slope * static_cast<double>(distance);
      const double off = std::fabs(-wide(step) - exact) / (info(bf16).u * std::fabs(exact));
      if (off <= roundings) continue;
      roundings = off;
      const Problem p = sloped(slope, Format::binary32, distance, 1, bf16);
      const Place place = lse(p, contract("bf16-math", "", natural));
      ASSERT_TRUE(place.contains(-wide(step))) << distance << " " << slope;
      worst = std::max(worst, place.ratio(-wide(step)));
    }
  }
  EXPECT_GT(roundings, 2.05) << "no more than a product and a sum that are stored";
  EXPECT_GT(worst, 0.5);
}

TEST(OddStores, DistancesThatTheFormatHoldsCostNothing) {
  const auto radius = [](std::int64_t distance) {
    const Problem p = sloped(1, bf16, distance, 1, bf16);
    return lse(p, contract("bf16-math", "", natural)).radius / static_cast<double>(distance);
  };
  EXPECT_LT(radius(256), 2.1 * info(bf16).u);
  EXPECT_GT(radius(257), 2.9 * info(bf16).u);
}

TEST(OddStores, TheMathContractsStoreEachStepOfASoftcap) {
  // x / cap, its tanh and the product, each rounded to bf16.
  double roundings = 0;
  for (int t = 0; t < 2000; ++t) {
    const float x = low(bf16, 1 + static_cast<float>(t) * 0.01F), cap = 7;
    const float y = low(bf16, cap * low(bf16, std::tanh(low(bf16, x / cap))));
    Problem p = scalars(1, {wide(x)}, {1}, bf16);
    p.softcap = 7;
    const Place place = lse(p, contract("bf16-math", "scale_side = after\n", natural));
    ASSERT_TRUE(place.contains(wide(y))) << x;
    roundings = std::max(
        roundings, std::fabs(wide(y) - 7 * std::tanh(wide(x) / 7)) / (info(bf16).u * wide(y)));
  }
  EXPECT_GT(roundings, 1.5) << "more than the store of the result";
}

// Keys that are hidden by a finite score.  docs/bounds.md 6.3

/// A visible key of score -q * k, V = 1, and a hidden one, V = 5.
Problem beside_a_hidden_key(double q, double k) {
  Problem p = scalars(q, {k, 0}, {1, 5}, f16);
  p.mask.attend = BoolMask{{1, 1, 1, 2}, {1, 0}};
  return p;
}

TEST(OddSentinel, TheLowestNumberOfF16HidesNothingBesideScoresOfItsSize) {
  // -65375 and -65504, which hides the other key: each may be stored within a few units of 32.
  const Problem p = beside_a_hidden_key(-250, 261.5);
  const char* const after = "scale_side = after\n";
  EXPECT_EQ(output(p, contract("f16-math", after)).kind, PlaceKind::uncheckable);
  const std::string excluded = std::string(after) + "mask_by = exclusion\n";
  EXPECT_EQ(output(p, contract("f16-math", excluded)).kind, PlaceKind::checked);
  EXPECT_EQ(output(p, contract("f16-fused")).kind, PlaceKind::checked) << "scores in f32";
  EXPECT_EQ(output(beside_a_hidden_key(-250, 240), contract("f16-math", after)).kind,
            PlaceKind::checked);
}

TEST(OddSentinel, AddedToALargeScoreItHidesNothing) {
  // The hidden score is 40000, and -65504 is added to it; the visible one is -40000.
  Problem p = beside_a_hidden_key(-200, 200);
  p.k.set(0, 0, 1, 0, -200);
  const char* const after = "scale_side = after\n";
  EXPECT_EQ(output(p, contract("f16-math", after)).kind, PlaceKind::uncheckable);
  p.k.set(0, 0, 1, 0, -20);
  EXPECT_EQ(output(p, contract("f16-math", after)).kind, PlaceKind::checked);
}

TEST(OddSentinel, APartOfHiddenKeysMayOverflowItsFormat) {
  // 27 hidden keys in a part of their own, weights normalised and rounded up: 65524, infinite in
  // f16, times the weight 0 that the part has in the merge.
  std::vector<double> v(28, 65504), k(28, 0);
  v[27] = 1;
  Problem p = scalars(1, k, v, f16);
  p.mask.attend = BoolMask{{1, 1, 1, 28}, std::vector<std::uint8_t>(28, 0)};
  p.mask.attend->attend[27] = 1;
  const float part = low(f16, 27 * low(f16, 1.0F / 27) * 65504);
  ASSERT_TRUE(std::isinf(part));
  EXPECT_EQ(output(p, contract("f16-any")).kind, PlaceKind::uncheckable);
  EXPECT_EQ(output(p, contract("f16-any", "part = f32\n")).kind, PlaceKind::checked);
  EXPECT_EQ(output(p, contract("f16-any", "mask_by = exclusion\n")).kind, PlaceKind::checked);
  p.v = scalars(1, k, std::vector<double>(28, 60000), f16).v;
  EXPECT_EQ(output(p, contract("f16-any")).kind, PlaceKind::checked);
}

}  // namespace
}  // namespace qkvet
