// Low formats: for each term that they add, an honest kernel that comes near to it, simulated in
// float. The contract that has the term admits the result, one without it does not.
#include <gtest/gtest.h>

#include <algorithm>

#include "cases.hpp"

namespace qkvet {
namespace {

using test::add_bias;
using test::contract;
using test::lse;
using test::one_row;
using test::output;
using test::scalars;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Format bf16 = Format::bfloat16, f16 = Format::binary16;

double wide(float x) { return static_cast<double>(x); }
float low(Format format, float x) {
  return static_cast<float>(decode(format, encode(format, wide(x))));
}
double stored(Format format, float x) { return decode(format, encode(format, wide(x))); }

/// f32 inside and out: what is left is the term that a test is about.
const char* const plain_out =
    "weight = f32\nrounds_weight = no\nmerge = none\nshift = exact\nlazy_rescale = 0\n"
    "flushes = no\nout = f32\n";
const char* const plain =
    "weight = f32\nrounds_weight = no\nmerge = none\nshift = exact\nlazy_rescale = 0\n"
    "flushes = no\n";

// The final store.  docs/bounds.md 5.4 and 5.5

TEST(LowStore, ATieMayGoEitherWayAndNoFarther) {
  for (const auto& [format, base] : {std::pair{bf16, "bf16-fused"}, std::pair{f16, "f16-fused"}}) {
    const double unit = 2 * info(format).u;  // the spacing from 1 on
    const Problem p = scalars(0, {0, 0}, {1, 1 + unit}, format);
    const Place place = output(p, contract(base, plain));
    EXPECT_TRUE(place.contains(1) && place.contains(1 + unit));
    EXPECT_GT(place.ratio(1), 0.99) << "the store alone makes up the bound";
    EXPECT_FALSE(place.contains(1 + 2 * unit) || place.contains(1 - unit / 2));
  }
}

TEST(LowStore, TruncationIsNotRounding) {
  for (const auto& [format, base] : {std::pair{bf16, "bf16-fused"}, std::pair{f16, "f16-fused"}}) {
    const double unit = 2 * info(format).u;
    const Problem p = scalars(0, {0, 0, 0, 0}, {1, 1 + unit, 1 + unit, 1 + unit}, format);
    const Place place = output(p, contract(base, plain));
    EXPECT_TRUE(place.contains(1 + unit));
    EXPECT_FALSE(place.contains(1)) << "three quarters of a unit away";
    EXPECT_TRUE(
        output(p, contract(base, std::string(plain) + "truncates = yes\n")).contains(1));
  }
}

TEST(LowStore, SubnormalOutputsOfF16AreOffByHalfOfTheirUnit) {
  const double unit = 0x1p-24;
  const Problem p = scalars(0, {0, 0}, {3 * unit, 0}, f16);
  const Place place = output(p, contract("f16-fused", plain));
  EXPECT_TRUE(place.contains(unit) && place.contains(2 * unit));
  EXPECT_GT(place.ratio(2 * unit), 0.99);
  EXPECT_FALSE(place.contains(0) || place.contains(3 * unit));
  EXPECT_FALSE(output(p, contract("f16-fused", "rounds_weight = no\n")).contains(0))
      << "f32 may flush there, f16 not";
  EXPECT_TRUE(output(p, contract("f16-any")).contains(0)) << "f16 may flush as well";
}

TEST(LowStore, TheLargestOutputIsDueUnlessRoundedWeightsMayExceedIt) {
  for (const auto& [format, base] : {std::pair{bf16, "bf16-fused"}, std::pair{f16, "f16-fused"}}) {
    const double most = info(format).max;
    if (format == f16) {
      const Problem p = scalars(0, {0, 0, 0}, {most, most, most}, format);
      const Place place = output(p, contract(base, plain));
      EXPECT_TRUE(place.contains(most));
      EXPECT_FALSE(place.contains(infinity)) << "half a unit below the border of infinity";
      EXPECT_EQ(output(p, contract(base)).kind, PlaceKind::uncheckable);
    }
    const Problem one = scalars(0, {0}, {most}, format);
    EXPECT_TRUE(output(one, contract(base, plain)).contains(most));
    EXPECT_FALSE(output(one, contract(base, plain)).contains(infinity));
  }
}

TEST(LowStore, NormalisedWeightsThatAreRoundedUpOverflowF16) {
  int overflowed = 0;
  for (int n = 2; n < 200; ++n) {
    const auto size = static_cast<std::size_t>(n);
    const Problem p = scalars(0, std::vector<double>(size, 0), std::vector<double>(size, 65504), f16);
    const float weight = low(f16, 1 / static_cast<float>(n));
    float sum = 0;
    for (int j = 0; j < n; ++j) sum += weight * 65504;
    const double got = stored(f16, sum);
    ASSERT_TRUE(output(p, contract("f16-math")).contains(got)) << n;
    overflowed += std::isinf(got) ? 1 : 0;
  }
  EXPECT_GT(overflowed, 10);
}

// Rounded weights.  docs/bounds.md 4.5 and 5.1

/// A top key and 100 keys of the score whose weight lies just above or below the middle between
/// two numbers of the format: all are rounded by nearly u, in one direction.
struct Rounded {
  Problem problem;
  float weight = 0, rounded = 0;
};
Rounded worst_rounding(Format format, bool up, double value, double top_value) {
  const float middle = static_cast<float>(0.125 * (1 + info(format).u));
  float s = std::log(middle);
  const auto direction = [&] {
    return low(format, std::exp(s)) > std::exp(s);
  };
  while (direction() != up) s = std::nextafter(s, up ? 0.0F : -10.0F);
  std::vector<double> k(101, wide(s)), v(101, value);
  k[0] = 0;
  v[0] = top_value;
  // Scores are exact inputs: a bias in f32 holds them.
  Rounded out{scalars(0, std::vector<double>(101, 0), v, format), std::exp(s),
              low(format, std::exp(s))};
  add_bias(out.problem, k);
  return out;
}

TEST(LowWeights, RoundedButNotInTheSumMoveAConstant) {
  for (const auto& [format, base] : {std::pair{bf16, "bf16-fused"}, std::pair{f16, "f16-fused"}}) {
    for (const bool up : {false, true}) {
      const Rounded r = worst_rounding(format, up, 1, 1);
      const float sum = 1 + 100 * r.weight, acc = 1 + 100 * r.rounded;
      const double got = wide(acc / sum);
      const std::string f32_out = "merge = none\nshift = exact\nflushes = no\nout = f32\n";
      const Place place = output(r.problem, contract(base, f32_out + "rounds_weight = yes\n"));
      EXPECT_TRUE(place.contains(got)) << got;
      EXPECT_GT(place.ratio(got), 0.85) << "the top key's weight is exact";
      EXPECT_FALSE(output(r.problem, contract(base, plain_out)).contains(got));
      EXPECT_FALSE(output(r.problem, contract(base, f32_out + "sum_of_rounded = yes\n"))
                       .contains(got))
          << "a sum of the same rounded weights cancels for constant V";
      EXPECT_TRUE(output(r.problem, contract(std::string(info(format).name) + "-any"))
                      .contains(stored(format, acc / sum)));
    }
  }
}

TEST(LowWeights, RoundedInTheSumMoveWhatLiesAwayFromTheMean) {
  for (const auto& [format, base] : {std::pair{bf16, "bf16-fused"}, std::pair{f16, "f16-fused"}}) {
    const Rounded r = worst_rounding(format, true, 1, -12.5);
    const float sum = 1 + 100 * r.rounded, acc = -12.5F + 100 * r.rounded;
    const double got = wide(acc / sum);
    const std::string f32_out = "merge = none\nshift = exact\nflushes = no\nout = f32\n";
    const Place place = output(r.problem, contract(base, f32_out + "sum_of_rounded = yes\n"));
    EXPECT_TRUE(place.contains(got)) << got;
    EXPECT_GT(place.ratio(got), 0.4) << "the top key's weight is exact";
    EXPECT_FALSE(output(r.problem, contract(base, plain_out)).contains(got));
  }
}

TEST(LowWeights, OneKernelMayShareTheRoundingOfSomeKeysAndNotOfOthers) {
  // 129 keys of V = 0 whose rounded weights enter the sum, 72 of V = 2.8125 whose weights do so
  // unrounded: beyond what either way of summing alone can give.
  const float middle = 0.125F * (1 + 0x1p-8F);
  float above = std::log(middle), below = above;
  while (!(low(bf16, std::exp(above)) > std::exp(above))) above = std::nextafter(above, 0.0F);
  while (!(low(bf16, std::exp(below)) < std::exp(below))) below = std::nextafter(below, -9.0F);
  std::vector<double> v, k;
  float sum = 0, acc = 0;
  for (int j = 0; j < 201; ++j) {
    const bool shared = j < 129;
    k.push_back(wide(shared ? above : below));
    v.push_back(shared ? 0 : 2.8125);
    const float w = std::exp(shared ? above : below);
    sum += shared ? low(bf16, w) : w;
    if (!shared) acc += low(bf16, w) * 2.8125F;
  }
  // The top key carries no value; it fixes the maximum.
  k.push_back(0);
  v.push_back(0);
  sum += 1;
  Problem p = scalars(0, std::vector<double>(k.size(), 0), v, bf16);
  add_bias(p, k);
  const std::string f32_out = "merge = none\nshift = exact\nflushes = no\nout = f32\n";
  const double got = wide(acc / sum);
  const Place both = output(p, contract("bf16-fused", f32_out));
  EXPECT_TRUE(both.contains(got)) << got;
  EXPECT_GT(both.ratio(got), 0.6);
  for (const char* way : {"sum_of_rounded = yes\n", "sum_of_rounded = no\n"}) {
    EXPECT_FALSE(output(p, contract("bf16-fused", f32_out + way)).contains(got)) << way;
  }
}

TEST(LowWeights, UnderflowInF16TakesHalfAUnitOfEachAndAFlushAllOfIt) {
  // 4000 keys of weight just below 2^-25, V = 1, beside a top key of V = 0.
  const auto problem = [](double score) {
    std::vector<double> v(4001, 1), bias(4001, score);
    v[0] = bias[0] = 0;
    Problem p = scalars(0, std::vector<double>(4001, 0), v, f16);
    add_bias(p, bias);
    return p;
  };
  const std::string f32_out = "merge = none\nshift = exact\nflushes = no\nout = f32\n";
  const Problem lost = problem(-17.34);  // 2^-25.02: rounds to 0
  const Place place = output(lost, contract("f16-fused", f32_out));
  EXPECT_TRUE(place.contains(0));
  EXPECT_GT(place.ratio(0), 0.4);
  EXPECT_FALSE(output(lost, contract("f16-fused", plain_out)).contains(0));
  const Problem flushed = problem(-9.8);  // 2^-14.1: subnormal in f16
  EXPECT_TRUE(output(flushed, contract("f16-any")).contains(0));
  EXPECT_FALSE(output(flushed, contract("f16-fused", f32_out)).contains(0));
  EXPECT_TRUE(output(problem(-9), contract("f16-any", "out = f32\n")).ratio(0) > 1)
      << "weights above 2^-14 are not flushed";
}

// Scaled inputs.  docs/bounds.md 3.1 and 3.2

TEST(LowScale, AScaledQueryIsRoundedInItsFormat) {
  // q * scale = (1 + 2^-7)(1 + 2^-9): near the middle between two bf16 numbers.
  Problem p = scalars(1 + 0x1p-7, {200, -200}, {1, -1}, bf16);
  p.scale = 1 + 0x1p-8;
  add_bias(p, {-201, 201});
  const float q = low(bf16, static_cast<float>(1 + 0x1p-7) * static_cast<float>(*p.scale));
  const float a = q * 200 - 201, b = -q * 200 + 201;
  ASSERT_GT(std::fabs(wide(q) * 200 - (1 + 0x1p-7) * *p.scale * 200), 0.5);
  const float m = std::max(a, b), w = std::exp(a - m), u = std::exp(b - m);
  const double got = wide((w - u) / (w + u));
  EXPECT_TRUE(output(p, contract("bf16-any")).contains(stored(bf16, static_cast<float>(got))));
  EXPECT_TRUE(output(p, contract("bf16-fused", std::string("scaled = bf16\nscale_side = q\n") +
                                                   plain_out))
                  .contains(got));
  EXPECT_FALSE(output(p, contract("bf16-fused", plain_out)).contains(got));
}

TEST(LowScale, AScaledKeyUnderflowsInF16) {
  // V1: k' = fl(0.01 * 2^-20) is 0 in f16, the score 5.7e-4.
  Problem p = scalars(60000, {0x1p-20, 0}, {1, -1}, f16);
  p.scale = 0.01;
  ASSERT_EQ(std::fpclassify(low(f16, 0.01F * 0x1p-20F)), FP_ZERO);
  const Contract k = contract("f16-math", "scale_side = k\n", "[semantics]\nlse_base = e\n");
  EXPECT_TRUE(lse(p, k).contains(wide(std::log(2.0F))));
  const Contract none = contract("f16-fused", plain, "[semantics]\nlse_base = e\n");
  EXPECT_FALSE(lse(p, none).contains(wide(std::log(2.0F))));
}

TEST(LowScale, AScaledKeyOverflowsF16) {
  // V2: 60000 sqrt 2 is infinite in f16.
  Problem p = scalars(1e-4, {60000, 0}, {1, -1}, f16);
  p.scale = 2;
  EXPECT_EQ(output(p, contract("f16-math")).kind, PlaceKind::uncheckable);
  EXPECT_EQ(output(p, contract("f16-any")).kind, PlaceKind::uncheckable);
  EXPECT_EQ(output(p, contract("f16-fused")).kind, PlaceKind::checked);
  EXPECT_EQ(output(p, contract("f16-math", "scale_side = after\n")).kind, PlaceKind::checked);
}

// Stored scores.  docs/bounds.md 3.5 and 6.3

const char* const after = "scale_side = after\n";

TEST(LowScores, AStoredScoreIsOffByHalfItsUnit) {
  // 16 * 16 + 1 = 257 lies between 256 and 258: a whole unit of the softmax.
  const Problem p = one_row({16, 1}, {{16, 1}, {16, 0}}, {{1}, {0}}, bf16);
  const Place place = output(p, contract("bf16-math", std::string(after) + "out = f32\n"));
  EXPECT_TRUE(place.contains(0.5)) << "both are stored as 256";
  EXPECT_GT(place.ratio(0.5), 0.3);
  EXPECT_FALSE(output(p, contract("bf16-fused")).contains(0.5));
  EXPECT_FALSE(output(p, contract("bf16-any", after)).contains(0.5))
      << "scores are not stored low unless that is declared";
  const Place exact = lse(p, contract("bf16-math", after, "[semantics]\nlse_base = e\n"));
  EXPECT_TRUE(exact.contains(256 + std::log(2.0)));
  EXPECT_GT(exact.ratio(256 + std::log(2.0)), 0.3);
}

TEST(LowScores, AProductThatIsStoredBeforeTheScaleMayBeSubnormal) {
  // V12: 3e-8 is rounded to 0 in f16, then multiplied by 59194.
  Problem p = scalars(8.6e-4, {3.5e-5, 0}, {1, -1}, f16);
  p.scale = 59194;
  const double q = p.q.value(0, 0, 0, 0), k = p.k.value(0, 0, 0, 0);
  const float raw = low(f16, static_cast<float>(q * k));
  const float s = low(f16, raw * 59194.0F);
  const double got = wide((std::exp(s) - 1) / (std::exp(s) + 1));
  const std::string two = std::string(after) + "score_stores = 2\nout = f32\n";
  EXPECT_TRUE(output(p, contract("f16-math", two)).contains(got)) << got;
  EXPECT_FALSE(output(p, contract("f16-fused", plain_out)).contains(got)) << got;
}

TEST(LowScores, WhatMayOverflowIsUncheckable) {
  const Problem p = scalars(300, {300, 0}, {1, 2}, f16);
  EXPECT_EQ(output(p, contract("f16-math", after)).kind, PlaceKind::uncheckable);
  EXPECT_EQ(output(p, contract("f16-fused")).kind, PlaceKind::checked);
  EXPECT_EQ(output(scalars(-300, {300, 300}, {1, 2}, f16), contract("f16-math", after)).kind,
            PlaceKind::uncheckable)
      << "every score is -infinity";
  // The product overflows before a scale that brings it back.
  Problem scaled = p;
  scaled.scale = 0.125;
  EXPECT_EQ(output(scaled, contract("f16-math", after)).kind, PlaceKind::uncheckable);
  EXPECT_EQ(output(scaled, contract("f16-math")).kind, PlaceKind::checked)
      << "the root on both sides keeps it in range";
  scaled.scale = 0;
  EXPECT_EQ(output(scaled, contract("f16-math", after)).kind, PlaceKind::uncheckable)
      << "0 times infinity";
}

TEST(LowScores, AScoreThatFallsToMinusInfinityTakesItsKeyWithIt) {
  // -70000 is -infinity in f16, and the bias that would bring the key back comes too late.
  Problem p = scalars(-250, {280, 40}, {1, 2}, f16);
  add_bias(p, {60000, 0}, f16);
  const Place place = output(p, contract("f16-math", after));
  EXPECT_TRUE(place.contains(2)) << "the first key is lost";
  EXPECT_TRUE(place.contains(1.5)) << "and need not be";
  EXPECT_FALSE(place.contains(infinity) || place.contains(0.99));
  EXPECT_FALSE(output(p, contract("f16-fused")).contains(2));
  const Place sum = lse(p, contract("f16-math", after, "[semantics]\nlse_base = e\n"));
  EXPECT_TRUE(sum.contains(-10000));
}

TEST(LowScores, ADeadKeyOfAWideBiasChangesNothing) {
  Problem p = scalars(1, {1, 1.5, 3}, {1, 2, 9}, f16);
  add_bias(p, {0, 0, -1e9});  // -infinity in f16
  const Place place = output(p, contract("f16-math"));
  EXPECT_EQ(place.kind, PlaceKind::checked);
  EXPECT_LT(place.radius, 0.01);
}

TEST(LowScores, AWideBiasIsRoundedFirst) {
  Problem p = scalars(0, {0, 0}, {1, 0}, bf16);
  add_bias(p, {100.25, 100});  // 100.25 lies between the bf16 numbers 100 and 100.5
  const Place place = output(p, contract("bf16-math", "out = f32\n"));
  EXPECT_TRUE(place.contains(0.5));
  EXPECT_FALSE(output(p, contract("bf16-fused", plain_out)).contains(0.5));
}

TEST(LowScores, SaturateInsideASoftcap) {
  Problem p = scalars(300, {300, 1}, {1, 2}, f16);
  p.softcap = 50;
  const Place place = output(p, contract("f16-math", after));
  EXPECT_EQ(place.kind, PlaceKind::checked) << "tanh of infinity is 1";
  EXPECT_TRUE(place.contains(1.5));  // both scores are 50
  p.softcap = 60000;
  const Place loose = output(p, contract("f16-math", after));
  EXPECT_TRUE(loose.contains(1)) << "infinite, hence 60000 instead of 54000";
}

/// A softcap in bf16: one step, or three that are all stored.
float capped(float x, float cap, bool steps) {
  if (!steps) return low(bf16, cap * std::tanh(x / cap));
  return low(bf16, cap * low(bf16, std::tanh(low(bf16, x / cap))));
}

TEST(LowScores, EachStoreOfASoftcapCounts) {
  double worst = 0;
  int beyond = 0;
  for (int t = 0; t < 200; ++t) {
    const float x = low(bf16, 40 + static_cast<float>(t) * 0.5F), y = low(bf16, x * 0.75F);
    Problem p = scalars(1, {wide(x), wide(y)}, {1, -1}, bf16);
    p.softcap = 100;
    for (const bool steps : {false, true}) {
      const float a = capped(x, 100, steps), b = capped(y, 100, steps);
      const float w = std::exp(b - a);
      const double got = wide((1 - w) / (1 + w));
      const std::string lines = std::string(after) + "out = f32\nrounds_weight = no\n";
      const Place place =
          output(p, contract("bf16-math", lines + (steps ? "" : "cap_stores = 1\n")));
      ASSERT_TRUE(place.contains(got)) << x << " " << steps;
      worst = std::max(worst, place.ratio(got));
      beyond += output(p, contract("bf16-fused", plain_out)).contains(got) ? 0 : 1;
    }
  }
  EXPECT_GT(worst, 0.2);
  EXPECT_GT(beyond, 200);
}

// Parts, inputs.  docs/bounds.md 5.4 and 1.4

TEST(LowParts, APartIsRoundedBeforeItIsMerged) {
  // Two parts of two keys, each with the mean 1 + 2^-8: a tie that goes to 1.
  const double unit = 0x1p-7;
  const Problem p = scalars(0, {0, 0, 0, 0}, {1, 1 + unit, 1, 1 + unit}, bf16);
  const std::string rest = "rounds_weight = no\nscaled = f32\nout = f32\n";
  const Place place = output(p, contract("bf16-any", rest));
  EXPECT_TRUE(place.contains(1));
  EXPECT_GT(place.ratio(1), 0.9);
  EXPECT_FALSE(output(p, contract("bf16-any", rest + "part = f32\n")).contains(1));
}

TEST(LowInputs, SubnormalNumbersOfF16MayBeFlushedByWhoeverFlushesF16) {
  const Problem p = scalars(0x1p-15, {60000, 0}, {1, -1}, f16);  // q is subnormal, the score 1.8
  EXPECT_TRUE(output(p, contract("f16-any")).contains(0));
  EXPECT_FALSE(output(p, contract("f16-fused")).contains(0));
  const Problem v = scalars(0, {0, 0}, {0x1p-15, 0x1p-15}, f16);
  EXPECT_TRUE(output(v, contract("f16-any", "out = f32\n")).contains(0));
  EXPECT_FALSE(output(v, contract("f16-fused", "out = f32\n")).contains(0));
}

}  // namespace
}  // namespace qkvet
