// The counter-examples that an attack on the first drafts of the bound found, V1 to V11
// (docs/bounds.md): each is an honest kernel in some arithmetic, simulated here, whose result the
// contract that covers it must admit.
#include <gtest/gtest.h>

#include <algorithm>
#include <qkvet/problem/draw.hpp>

#include "cases.hpp"

namespace qkvet {
namespace {

using test::add_bias;
using test::contract;
using test::lse;
using test::one_row;
using test::output;
using test::scalars;

constexpr float log2_e = 1.44269504F;

/// Exact: every float is a double.
double wide(float x) { return static_cast<double>(x); }

float flush(float x) { return std::fabs(x) < 0x1p-126F ? 0.0F : x; }

TEST(Attack, V1ScaledKeyUnderflows) {
  Problem p = scalars(3e38, {1.17e-36, 0}, {1, -1});
  p.scale = 0.01;
  const float k = flush(0.01F * 1.17e-36F);
  ASSERT_EQ(std::fpclassify(k), FP_ZERO);
  const float got = 0.0F;  // equal scores, V = (1, -1)
  EXPECT_TRUE(output(p, contract("f32-any")).contains(wide(got)));
  EXPECT_TRUE(
      output(p, contract("f32-ieee", "scale_side = k\nflushes = yes\n")).contains(wide(got)));
  EXPECT_FALSE(output(p, contract("f32-ieee")).contains(wide(got))) << "exact is 0.94";
  EXPECT_TRUE(lse(p, contract("f32-any")).contains(wide(std::log(2.0F))));
}

TEST(Attack, V2ScaledKeyOverflows) {
  Problem p = scalars(1e-38, {3e38, 0}, {1, -1});
  p.scale = 4.0;
  EXPECT_EQ(output(p, contract("f32-ieee", "scale_side = k\n")).kind, PlaceKind::uncheckable);
  EXPECT_EQ(output(p, contract("f32-any")).kind, PlaceKind::uncheckable);
  EXPECT_EQ(output(p, contract("f32-ieee")).kind, PlaceKind::checked);
}

TEST(Attack, V3HiddenValuesOfAKernelThatHidesByAFiniteScore) {
  std::vector<double> k(65, 0.0), v(65, 3e38);
  v.back() = 1.5;
  Problem p = scalars(1, k, v);
  p.mask.attend = BoolMask{{1, 1, 1, 65}, std::vector<std::uint8_t>(65, 0)};
  p.mask.attend->attend.back() = 1;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(output(p, contract("f32-any")).contains(nan));
  EXPECT_FALSE(output(p, contract("f32-ieee")).contains(nan));
  EXPECT_TRUE(output(p, contract("f32-ieee")).contains(1.5));
  EXPECT_FALSE(output(p, contract("f32-any", "", "[promises]\nselection = yes\n")).contains(nan));
}

TEST(Attack, V3HiddenScoreOverflowsWithItsBias) {
  Problem p = scalars(1, {1e38, 0}, {1, 2});
  add_bias(p, {3.4e38, 0});
  p.mask.attend = BoolMask{{1, 1, 1, 2}, {0, 1}};
  EXPECT_EQ(output(p, contract("f32-any")).kind, PlaceKind::uncheckable);
  EXPECT_EQ(output(p, contract("f32-ieee")).kind, PlaceKind::checked);
}

TEST(Attack, V4ChainOfLseMerges) {
  const int n = 1000;
  const Problem p = scalars(1, std::vector<double>(n, 1e5), std::vector<double>(n, 1));
  float lse_so_far = 1e5F, o = 1;
  for (int j = 1; j < n; ++j) {
    const float top = std::max(lse_so_far, 1e5F);
    const float next = top + std::log(std::exp(lse_so_far - top) + std::exp(1e5F - top));
    o = o * std::exp(lse_so_far - next) + std::exp(1e5F - next);
    lse_so_far = next;
  }
  ASSERT_GT(o, 2) << "the chain is not normalised any more";
  EXPECT_TRUE(output(p, contract("f32-any", "merge_levels = 999\n")).contains(wide(o)));
  EXPECT_TRUE(lse(p, contract("f32-any", "merge_levels = 999\n")).contains(wide(lse_so_far)));
  EXPECT_FALSE(output(p, contract("f32-ieee")).contains(wide(o)));
}

TEST(Attack, V4FlatMergeOfFourKeys) {
  int beyond = 0;
  for (int t = 0; t < 400; ++t) {
    const float s = 2000.0F + 0.37F * static_cast<float>(t);
    const Problem p = scalars(1, std::vector<double>(4, wide(s)), std::vector<double>(4, 1));
    const float total = s + std::log(4.0F);
    float o = 0;
    for (int j = 0; j < 4; ++j) o += std::exp(s - total);
    ASSERT_TRUE(output(p, contract("f32-any")).contains(wide(o))) << s;
    if (!output(p, contract("f32-any", "merge = none\n")).contains(wide(o))) ++beyond;
  }
  EXPECT_GT(beyond, 100) << "the term that this test is about is not exercised";
}

TEST(Attack, V5WeightsFromAnLseThatChangesBase) {
  Problem p = scalars(14.2516699, {266.77774, 266.77774}, {1, 1});
  p.scale = 0.383474499;
  const float scale = 0.383474499F, dot = 14.2516699F * 266.77774F;
  const float c = scale * log2_e;
  const float l = dot * scale + std::log(2.0F);
  const float w = std::exp2(std::fma(dot, c, -(l * log2_e)));
  const float got = w + w;
  ASSERT_GT(std::fabs(got - 1), 1e-4F);
  EXPECT_TRUE(output(p, contract("f32-any")).contains(wide(got)));
}

TEST(Attack, V6SigmoidMergeCancels) {
  const Problem p = scalars(1, {0, 20}, {1e10, 1});
  float o = 1e10F;
  const float weight = 1 / (1 + std::exp(0.0F - 20.0F));
  o = o - weight * (o - 1);
  EXPECT_TRUE(
      output(p, contract("f32-ieee", "merge = sigmoid\nmerge_levels = 1\n")).contains(wide(o)));
  EXPECT_FALSE(output(p, contract("f32-ieee")).contains(wide(o))) << o;
}

float fused_weight(float s) { return std::exp2(std::fma(s, log2_e, -(s * log2_e))); }

TEST(Attack, V8FusedShiftOverflows) {
  for (const float s : {9.3e7F, 9.31e7F, 9.37e7F, 2.01e8F, 2.03e8F}) {
    for (const float v : {2e37F, 1e34F}) {
      const Problem p = scalars(wide(s), {1}, {wide(v)});
      const float w = fused_weight(s);
      const float got = w * v / w;
      EXPECT_TRUE(output(p, contract("f32-any")).contains(wide(got)))
          << s << " " << v << " " << got;
      EXPECT_TRUE(output(p, contract("f32-ieee", "shift = fused\n")).contains(wide(got))) << s;
      EXPECT_TRUE(output(p, contract("f32-ieee")).contains(wide(v)));
    }
  }
  const Problem dead = scalars(1, {-6e34, 0}, {1, 2});
  EXPECT_EQ(output(dead, contract("f32-any")).kind, PlaceKind::uncheckable);
  EXPECT_EQ(output(dead, contract("f32-ieee")).kind, PlaceKind::checked)
      << "due where the shift is exact";
}

TEST(Attack, V9LateSinkFarAboveTheKeys) {
  Problem p = scalars(1, {-36.78, -37.34}, {1, -1});
  p.sinks = make_tensor(Format::binary32, {1, 1, 1, 1});
  p.sinks->set(0, 0, 0, 0, -0.0014);
  const float a = -36.78F, b = -37.34F, sink = -0.0014F;
  float sum = 1 + std::exp(b - a);
  const float acc = 1 - std::exp(b - a);
  sum += std::exp(sink - a);
  // A log that uses up its 4 u, as the contract allows.
  const float log_sum = std::log(sum) * (1 + 3.5F * 0x1p-24F);
  const Contract c =
      contract("f32-ieee", "late_sink = yes\n", "[semantics]\nlse_base = e\nlse_sink = included\n");
  EXPECT_TRUE(lse(p, c).contains(wide(a + log_sum)));
  EXPECT_TRUE(output(p, c).contains(wide(acc / sum)));
  EXPECT_TRUE(lse(p, contract("f32-any")).contains(wide(a + log_sum)));
}

TEST(Attack, V10ScoresComputedTwice) {
  // Two orders of one dot product: the sum cancels to almost nothing.
  Choices choices = Choices::from_seed(3);
  std::vector<double> q, k;
  for (int c = 0; c < 32; ++c) {
    q.push_back(wide(static_cast<float>(30 + choices.unit())));
    k.push_back(wide(static_cast<float>(30 + choices.unit())));
  }
  for (std::size_t c = 0; c < 32; ++c) {  // the same products with the other sign, in another order
    q.push_back(q[(7 * c + 3) % 32]);
    k.push_back(-k[(7 * c + 3) % 32]);
  }
  const Problem p = one_row(q, {k, std::vector<double>(64, 0)}, {{1}, {1}});
  float forward = 0, backward = 0;
  for (std::size_t c = 0; c < 64; ++c)
    forward += static_cast<float>(q[c]) * static_cast<float>(k[c]);
  for (std::size_t c = 64; c-- > 0;)
    backward += static_cast<float>(q[c]) * static_cast<float>(k[c]);
  ASSERT_GT(std::fabs(forward - backward), 0) << "no two roundings to tell apart";
  const float m = std::max(forward, 0.0F);
  const float sum = std::exp(forward - m) + std::exp(-m);
  const float got = (std::exp(backward - m) + std::exp(-m)) / sum;
  EXPECT_TRUE(output(p, contract("f32-ieee", "two_scores = yes\n")).contains(wide(got))) << got;
}

/// x rounded to float towards zero.
float truncated(double x) {
  const float near = static_cast<float>(x);
  return std::fabs(static_cast<double>(near)) > std::fabs(x) ? std::nextafter(near, 0.0F) : near;
}

TEST(Attack, V11TruncatingAdders) {
  Choices choices = Choices::from_seed(11);
  double worst = 0;
  for (int t = 0; t < 50; ++t) {
    std::vector<double> k, v;
    for (int j = 0; j < 200; ++j) {
      k.push_back(wide(static_cast<float>(choices.gaussian())));
      v.push_back(wide(static_cast<float>(1 + choices.unit())));
    }
    const Problem p = scalars(1, k, v);
    float sum = 0, acc = 0;
    const double m = *std::max_element(k.begin(), k.end());
    for (std::size_t j = 0; j < k.size(); ++j) {
      const float w = truncated(std::exp(static_cast<double>(truncated(k[j] - m))));
      sum = truncated(static_cast<double>(sum) + static_cast<double>(w));
      const float product = truncated(static_cast<double>(w) * v[j]);
      acc = truncated(static_cast<double>(acc) + static_cast<double>(product));
    }
    const float got = truncated(static_cast<double>(acc) / static_cast<double>(sum));
    const Place place = output(p, contract("f32-ieee", "truncates = yes\n"));
    ASSERT_TRUE(place.contains(wide(got)));
    worst = std::max(worst, place.ratio(wide(got)));
    EXPECT_LT(output(p, contract("f32-ieee")).radius, 0.6 * place.radius);
  }
  EXPECT_GT(worst, 0.01);
}

TEST(Attack, AlibiCountedFromTheFirstKey) {
  // slope * column instead of -slope * distance, row 1e5 of a window: roundings act on s + B0
  // (V13).
  Problem p = one_row({1}, {{0.1}, {0.2}, {0.3}, {0.4}}, {{1}, {2}, {3}, {4}});
  p.mask.causal = true;
  p.mask.diagonal = {Diagonal::Kind::fixed, {100000}};
  p.alibi_slopes = make_tensor(Format::binary32, {1, 1, 1, 1});
  p.alibi_slopes->set(0, 0, 0, 0, 0.5);
  const float k[] = {0.1F, 0.2F, 0.3F, 0.4F};
  // The constant of the row is 50000: a kernel that counts from key 99996 on adds about as much.
  float s[4], m = -1e30F, sum = 0, acc = 0;
  for (int j = 0; j < 4; ++j) s[j] = k[j] + (0.5F * static_cast<float>(j) + 50000.0F);
  for (const float x : s) m = std::max(m, x);
  for (int j = 0; j < 4; ++j) {
    const float w = std::exp(s[j] - m);
    sum += w;
    acc += w * static_cast<float>(j + 1);
  }
  const Contract declared = contract("f32-ieee", "alibi_origin = first_key\n");
  EXPECT_TRUE(output(p, declared).contains(wide(acc / sum)));
  EXPECT_EQ(lse(p, declared).kind, PlaceKind::exempt);
}

}  // namespace
}  // namespace qkvet
