// Counter-examples found by a second reading of docs/bounds.md: honest kernels, simulated in float,
// that the first code of the bound rejected.
#include <gtest/gtest.h>

#include <algorithm>

#include "cases.hpp"

namespace qkvet {
namespace {

using test::contract;
using test::lse;
using test::one_row;
using test::output;
using test::scalars;

constexpr double wide(float x) { return static_cast<double>(x); }

constexpr float log2_e = 1.44269504F;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Weights formed from the LSE: exp2(fma(x, log2 e, -(lse * log2 e))), as in V5.
float weight_from(float x, float lse) { return std::exp2(std::fma(x, log2_e, -(lse * log2_e))); }

TEST(Review, AnLseOfScoresThatCancelIsAsLargeAsTheComputedScores) {
  // q.k is exactly 0; fma(a, c, fl(-a c)) is the rounding error of a c, which is large. Nothing
  // cancels in weights from an LSE of that size, although the exact LSE is ln 2.
  double worst = 0;
  for (int t = 0; t < 200; ++t) {
    const float a = 1.0e6F + 0.37F * static_cast<float>(t),
                c = 1.0e6F + 1.7F * static_cast<float>(t);
    const Problem p = one_row({wide(a), wide(a)}, {{wide(c), wide(-c)}, {0, 0}}, {{1}, {1}});
    const float x = std::fma(a, c, -(a * c));
    const float m = std::max(x, 0.0F);
    const float total = m + std::log(std::exp(x - m) + std::exp(-m));
    const float got = weight_from(x, total) + weight_from(0, total);
    worst = std::max(worst, static_cast<double>(std::fabs(got - 1)));
    ASSERT_TRUE(output(p, contract("f32-any")).contains(wide(got))) << x << " " << got;
  }
  EXPECT_GT(worst, 1e-4) << "the term that this test is about is not exercised";
}

/// x rounded to bf16.
float to_bf16(float x) {
  return static_cast<float>(decode(Format::bfloat16, encode(Format::bfloat16, wide(x))));
}

TEST(Review, TheLseOfASumOfRoundedWeightsHasTheirRounding) {
  const Problem p = scalars(1, {0, -1, -2.3}, {1, 2, 3});
  float sum = 0;
  for (const float s : {0.0F, -1.0F, -2.3F}) sum += to_bf16(std::exp(s));
  const float got = std::log(sum);
  const Contract c =
      contract("f32-ieee", "weight = bf16\nrounds_weight = yes\nsum_of_rounded = yes\n");
  EXPECT_TRUE(lse(p, c).contains(wide(got))) << got;
  EXPECT_FALSE(lse(p, contract("f32-ieee")).contains(wide(got))) << got;
}

TEST(Review, AnExemptPlaceOfAKernelThatWeighsByItsLse) {
  // The same arithmetic as V5, beside a hidden NaN in V that the kernel does not read.
  Problem p = scalars(14.2516699, {266.77774, 266.77774, 0}, {1, 1, nan});
  p.scale = 0.383474499;
  p.mask.attend = BoolMask{{1, 1, 1, 3}, {1, 1, 0}};
  const float scale = 0.383474499F, dot = 14.2516699F * 266.77774F;
  const float l = dot * scale + std::log(2.0F);
  const float w = std::exp2(std::fma(dot, scale * log2_e, -(l * log2_e)));
  const float got = w + w;
  ASSERT_GT(std::fabs(got - 1), 1e-4F);
  const Place place = output(p, contract("f32-any"));
  EXPECT_EQ(place.kind, PlaceKind::exempt);
  EXPECT_TRUE(place.contains(wide(got))) << got;
}

TEST(Review, AnExemptPlaceMayOverflowToo) {
  Problem p = scalars(1, {0, 0, nan}, {3e38, 3e38, 1});
  p.mask.attend = BoolMask{{1, 1, 1, 3}, {1, 1, 0}};
  EXPECT_TRUE(output(p, contract("f32-any")).contains(std::numeric_limits<double>::infinity()));
}

/// f16 rows without a visible key.
Problem empty_row_in_f16(const std::vector<double>& v) {
  Problem p = scalars(1, std::vector<double>(v.size(), 0), v, Format::binary16);
  p.mask.attend = BoolMask{{1, 1, 1, 1}, {0}};
  return p;
}

TEST(Review, AnExemptPlaceMayLeaveItsFormat) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // Two parts of score -1e30, each of weight 1: 80000, which f16 does not hold.
  const Place place = output(empty_row_in_f16({40000, 40000}), contract("f16-any"));
  EXPECT_EQ(place.kind, PlaceKind::exempt);
  EXPECT_TRUE(place.contains(infinity));
  EXPECT_FALSE(place.contains(-infinity)) << "no value is negative";
  EXPECT_FALSE(output(empty_row_in_f16({40000, 20000}), contract("f16-any")).contains(infinity));
}

TEST(Review, AMeanOfRoundedWeightsMayLeaveItsFormat) {
  // 1/27 rounded up to f16 as the weight of 27 keys: 65524, which f16 rounds to infinity.
  const auto f16 = [](double x) { return decode(Format::binary16, encode(Format::binary16, x)); };
  ASSERT_TRUE(std::isinf(f16(27 * f16(1.0 / 27) * 65504)));
  Contract mean = contract("f16-any");
  mean.semantics.empty_row = Semantics::EmptyRow::mean;
  const auto admits_infinity = [&mean](double v) {
    const Problem p = empty_row_in_f16(std::vector<double>(27, v));
    return output(p, mean).contains(std::numeric_limits<double>::infinity());
  };
  EXPECT_TRUE(admits_infinity(65504));
  EXPECT_FALSE(admits_infinity(2000));
}

TEST(Review, ARowOfMinusInfinitiesByDataIsAsAnEmptyOneUnderAFiniteScore) {
  // The one visible score is -inf, the hidden keys score -1e30 in parts of their own: o = 4 and 3,
  // lse = -1e30 each and for the whole, so that both weights are 1.
  Problem p = scalars(-std::numeric_limits<double>::infinity(), {1, 1, 1}, {1, 4, 3});
  p.mask.attend = BoolMask{{1, 1, 1, 3}, {1, 0, 0}};
  EXPECT_TRUE(output(p, contract("f32-any")).contains(7));
  EXPECT_FALSE(output(p, contract("f32-ieee")).contains(7)) << "it leaves hidden keys out";
  p.k.set(0, 0, 0, 0, 0);  // 0 * inf: a NaN, which a kernel may take for hidden
  EXPECT_TRUE(output(p, contract("f32-any")).contains(7));
}

Problem empty_row_of_ones(int keys) {
  Problem p = scalars(1, std::vector<double>(static_cast<std::size_t>(keys), 0),
                      std::vector<double>(static_cast<std::size_t>(keys), 1));
  p.mask.attend = BoolMask{{1, 1, 1, 1}, {0}};
  return p;
}

TEST(Review, AnEmptyRowOfAPaddedTileUnderAFiniteScore) {
  // 3 keys and 5 of padding with V = 0, all of score -1e30.
  const Problem p = empty_row_of_ones(3);
  EXPECT_TRUE(output(p, contract("f32-any")).contains(3.0 / 8));
  EXPECT_FALSE(output(p, contract("f32-ieee")).contains(3.0 / 8)) << "it leaves hidden keys out";
}

TEST(Review, AnEmptyRowOfPartsThatMergeUnderAFiniteScore) {
  // Two parts of 2 keys: each o = 1, each lse = -1e30 + ln 2, and so is the lse of the whole.
  const Problem p = empty_row_of_ones(4);
  const float part = -1e30F + std::log(2.0F);
  const float whole = part + std::log(std::exp(part - part) + std::exp(part - part));
  const float got = std::exp(part - whole) + std::exp(part - whole);
  ASSERT_EQ(std::lround(got), 2);
  EXPECT_TRUE(output(p, contract("f32-any")).contains(wide(got)));
  EXPECT_FALSE(output(p, contract("f32-any")).contains(5));
  EXPECT_FALSE(output(p, contract("f32-any", "merge = none\n")).contains(wide(got)));
}

TEST(Review, ATileWithoutVisibleKeysIsRenormalisedToo) {
  // FlashAttention-1, one key per tile, 1/l as a factor: two visible keys, then 498 hidden ones.
  double worst = 0;
  for (int t = 0; t < 400; ++t) {
    const float second = -0.003F * static_cast<float>(t), v = 1 + 0.0025F * static_cast<float>(t);
    std::vector<double> k(500, 0), values(500, 7);
    k[1] = wide(second);
    values[0] = values[1] = wide(v);
    Problem p = scalars(1, k, values);
    p.mask.attend = BoolMask{{1, 1, 1, 500}, std::vector<std::uint8_t>(500, 0)};
    p.mask.attend->attend[0] = p.mask.attend->attend[1] = 1;
    const float sum = 1 + std::exp(second);
    float o = (v + std::exp(second) * v) * (1 / sum);
    for (int j = 2; j < 500; ++j) o = (sum * o) * (1 / sum);
    worst =
        std::max(worst, std::fabs(static_cast<double>(o) / static_cast<double>(v) - 1) * 0x1p24);
    ASSERT_TRUE(output(p, contract("f32-any")).contains(wide(o))) << t << " " << o << " " << v;
  }
  EXPECT_GT(worst, 100) << "in units of u: no drift, so the test shows nothing";
}

TEST(Review, SoftcapFoldedIntoAQueryThatFlushes) {
  // q' = fl(2 log2 e sigma / cap * q) is subnormal and flushed, although x = 10.
  Problem p = scalars(1e-37, {1e38, 0}, {1, -1});
  p.softcap = 50;
  const float folded = 2 * log2_e / 50.0F * 1e-37F;
  ASSERT_LT(folded, 0x1p-126F);
  EXPECT_TRUE(output(p, contract("f32-any")).contains(0)) << "equal scores";
  EXPECT_TRUE(lse(p, contract("f32-any")).contains(wide(std::log(2.0F))));
}

TEST(Review, LseWithoutTheSinkOfAKernelThatShiftsByTheSink) {
  // Shift = sink = 0; keys at -88 are flushed beside one at -79.
  std::vector<double> k(101, -88), v(101, 1);
  k[0] = -79;
  Problem p = scalars(1, k, v);
  p.sinks = make_tensor(Format::binary32, {1, 1, 1, 1});
  p.sinks->set(0, 0, 0, 0, 0);
  const float got = std::log(std::exp(-79.0F));
  const char* const excluded = "[semantics]\nlse_base = e\nlse_sink = excluded\n";
  EXPECT_TRUE(lse(p, contract("f32-any", "", excluded)).contains(wide(got)));
  EXPECT_TRUE(lse(p, contract("f32-ieee", "", excluded)).contains(wide(got)));
}

TEST(Review, ABiasOfMinusInfinityInsideASoftcapIsAScoreOfMinusCap) {
  Problem p = scalars(1, {0, 0}, {1, 1});
  test::add_bias(
      p, {-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()});
  p.softcap = 50;
  EXPECT_GE(score_size(p, 0, 0, 0), 50);
}

}  // namespace
}  // namespace qkvet
