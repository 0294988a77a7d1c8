// Relations that look true and are not, each with its counterexample: why plans fix diagonals, make
// keys explicit, and ask for bits only where they are promised. The worked example is q = 1, keys 0
// and ln 3, values 10 and 20: O = 17.5.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <qkvet/bound/admissible.hpp>
#include <vector>

#include "../support/plain_candidate.hpp"
#include "properties/rewrites.hpp"

namespace qkvet::test {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

Problem worked_example(std::int64_t L = 1, Format format = Format::binary64) {
  Problem p;
  p.format = format;
  p.shape = {1, 1, 1, L, 2, 1, 1};
  p.q = make_tensor(format, {1, 1, L, 1});
  p.k = make_tensor(format, {1, 1, 2, 1});
  p.v = make_tensor(format, {1, 1, 2, 1});
  for (std::int64_t i = 0; i < L; ++i) p.q.set(0, 0, i, 0, 1);
  p.k.set(0, 0, 1, 0, std::log(3.0));
  p.v.set(0, 0, 0, 0, 10);
  p.v.set(0, 0, 1, 0, 20);
  return p;
}

double output(const Problem& p, std::int64_t i = 0, Bug bug = Bug::none) {
  PlainCandidate plain(bug);
  return plain.run(p).outputs.o.value(0, 0, i, 0);
}

double lse(const Problem& p, std::int64_t i = 0) {
  Problem asked = p;
  asked.want_lse = true;
  PlainCandidate plain;
  const Outputs out = plain.run(asked).outputs;
  return decode(out.lse_format, out.lse[static_cast<std::size_t>(i)]);
}

void set_bias(Problem& p, std::vector<double> bias) {
  p.mask.bias = make_tensor(p.format, {1, 1, 1, static_cast<std::int64_t>(bias.size())});
  for (std::size_t j = 0; j < bias.size(); ++j) {
    p.mask.bias->set(0, 0, 0, static_cast<std::int64_t>(j), bias[j]);
  }
}

float sum_in_order(const std::vector<float>& x) {
  float sum = 0;
  for (const float y : x) sum += y;
  return sum;
}

bool differ(float a, float b) { return a < b || a > b; }

TEST(Tempting, PermutingKeysKeepsTheBits) {
  const float a = sum_in_order({1, 0x1p-24F, 0x1p-24F}) / 3;
  const float b = sum_in_order({0x1p-24F, 0x1p-24F, 1}) / 3;
  EXPECT_EQ(a, 0x1.555556p-2F);
  EXPECT_EQ(b, 0x1.555558p-2F);
}

TEST(Tempting, AHiddenKeyAtTheEndChangesNothing) {
  Problem p = worked_example(2);
  p.mask.causal = true;
  p.mask.diagonal.kind = Diagonal::Kind::bottom_right;
  EXPECT_NEAR(output(p), 10, 1e-12);
  EXPECT_NEAR(output(p, 1), 17.5, 1e-12);
  Choices choices = Choices::from_seed(1);
  Problem naive = p;  // longer without its diagonal fixed first
  naive.shape.S = 3;
  take(naive.k, 2, {0, 1, 1});
  take(naive.v, 2, {0, 1, 1});
  and_mask(naive, {.i = false}, [](auto, auto, auto, auto j) { return j < 2; });
  EXPECT_NEAR(output(naive), 17.5, 1e-12);
  Problem fixed_first = insert_keys(p, 2, 1, choices);
  and_mask(fixed_first, {.i = false}, [](auto, auto, auto, auto j) { return j < 2; });
  EXPECT_NEAR(output(fixed_first), 10, 1e-12);
  EXPECT_NEAR(output(fixed_first, 1), 17.5, 1e-12);
}

TEST(Tempting, DuplicatedKeysLeaveTheOutputWithASink) {
  Problem p = worked_example();
  p.sinks = make_tensor(p.format, {1, 1, 1, 1});
  EXPECT_NEAR(output(p), 14, 1e-12);
  p.shape.S = 4;
  take(p.k, 2, {0, 1, 0, 1});
  take(p.v, 2, {0, 1, 0, 1});
  EXPECT_NEAR(output(p), 15.5555555555, 1e-9);
}

TEST(Tempting, ValuesOfOneGiveTheBitsOfOne) {
  int wrong = 0;
  for (int n = 1; n < 2000; ++n) {
    const float inverse = 1 / static_cast<float>(n);
    wrong += differ(static_cast<float>(n) * inverse, 1) ? 1 : 0;
  }
  EXPECT_EQ(wrong, 271);
}

TEST(Tempting, ValuesOfOneSeeEveryWrongWeight) {
  Problem p = worked_example();
  EXPECT_GT(std::fabs(output(p, 0, Bug::first_twice) - 17.5), 1);
  p.v.set(0, 0, 0, 0, 1);
  p.v.set(0, 0, 1, 0, 1);
  EXPECT_NEAR(output(p, 0, Bug::first_twice), 1, 1e-12);
}

TEST(Tempting, OutputsLieStrictlyInTheHull) {
  EXPECT_GT(sum_in_order(std::vector<float>(7, 0.1F)) / 7, 0.1F);
  EXPECT_LT(sum_in_order(std::vector<float>(7, 0.7F)) / 7, 0.7F);
}

TEST(Tempting, EqualScoresGiveTheCorrectlyRoundedMean) {
  int wrong = 0;
  for (int sum = 1; sum < 100; ++sum) {
    wrong += differ(static_cast<float>(sum) * (1.0F / 7), static_cast<float>(sum) / 7) ? 1 : 0;
  }
  EXPECT_GT(wrong, 0);
}

TEST(Tempting, PowersOfTwoOfValuesScaleTheOutput) {
  EXPECT_EQ(sum_in_order({1, 1, 1, 1}) / 4, 1);
  EXPECT_TRUE(std::isinf(sum_in_order(std::vector<float>(4, 0x1p126F)) / 4));
  const double half_of_least = 0x1p-149 / 2;
  EXPECT_EQ(decode(Format::binary32, encode(Format::binary32, half_of_least)), 0);
}

TEST(Tempting, TheLowestNumberOnAllKeysIsAMask) {
  Problem p = worked_example(1, Format::binary32);
  const double lowest = -info(Format::binary32).max;
  set_bias(p, {lowest, lowest});
  EXPECT_NEAR(output(p), 15, 1e-6);  // its size swallows the scores: the mean
  const Place exact = admit(p, plain_contract(), Rung::arb).o[0];
  EXPECT_TRUE(exact.contains(17.5)) << exact.exact.mid();  // in exact arithmetic: nothing
  set_bias(p, {minus_infinity, minus_infinity});
  EXPECT_EQ(output(p), 0);  // a mask: an empty row
}

TEST(Tempting, MinusTenThousandIsAMask) {
  Problem p = worked_example();
  p.k.set(0, 0, 0, 0, -20000);
  p.k.set(0, 0, 1, 0, 0);
  set_bias(p, {0, -10000});
  EXPECT_NEAR(output(p), 20, 1e-12);
  set_bias(p, {0, minus_infinity});
  EXPECT_NEAR(output(p), 10, 1e-12);
}

TEST(Tempting, ZeroChannelsChangeNothing) {
  Problem p = worked_example();
  p.shape.d_k = 4;
  for (Tensor* tensor : {&p.q, &p.k}) {
    take(*tensor, 3, {0, 0, 0, 0});
    for (std::size_t n = 0; n < tensor->bits.size(); ++n) {
      if (n % 4 != 0) tensor->bits[n] = 0;
    }
  }
  EXPECT_NEAR(output(p), 16.34, 0.01);
  p.scale = 1;
  EXPECT_NEAR(output(p), 17.5, 1e-12);
}

TEST(Tempting, APowerOfTwoMovesBetweenQueryAndScaleBitForBit) {
  int twice = 0, four_times = 0;
  for (int n = 1; n < 200; ++n) {
    const float q = static_cast<float>(n) / 7, scale = 1 / static_cast<float>(n + 2);
    const auto root_on_q = [](float x, float s) { return x * std::sqrt(s); };
    const float whole = root_on_q(q, scale) * std::sqrt(scale);
    twice += differ(root_on_q(2 * q, scale / 2) * std::sqrt(scale / 2), whole) ? 1 : 0;
    four_times += differ(root_on_q(4 * q, scale / 4) * std::sqrt(scale / 4), whole) ? 1 : 0;
  }
  EXPECT_GT(twice, 0);
  EXPECT_EQ(four_times, 0);
}

TEST(Tempting, ALargerScaleNeverLowersTheTopWeight) {
  Problem p = worked_example();
  p.k.set(0, 0, 1, 0, 1);
  p.v.set(0, 0, 0, 0, 1);
  p.v.set(0, 0, 1, 0, 0);  // the output is the weight of key 0
  set_bias(p, {2, 0});
  p.scale = 1;
  const double before = output(p);
  EXPECT_GT(before, 0.5);
  p.scale = 2;
  EXPECT_NEAR(output(p), 0.5, 1e-12);
}

TEST(Tempting, ALargeCapIsOffAtUnitScores) {
  Problem p = worked_example();
  p.softcap = 50;
  EXPECT_GT(std::fabs(output(p) - 17.5), 1e-4);
  p.softcap = 1024;
  EXPECT_GT(std::fabs(output(p) - 17.5), 1e-7);
}

TEST(Tempting, PartsMergeByAnLseOfAnyBase) {
  const double second = std::log2(3.0);  // the LSE of the second key alone, in base 2
  const double read_as_e = std::exp(second) / (1 + std::exp(second));
  EXPECT_NEAR(10 + 10 * read_as_e, 18.30, 0.01);
  const double read_as_two = std::exp2(second) / (1 + std::exp2(second));
  EXPECT_NEAR(10 + 10 * read_as_two, 17.5, 1e-12);
}

TEST(Tempting, TheOutputShowsAWrongAlibiDistance) {
  Problem right = worked_example(2);
  right.mask.causal = true;
  Problem wrong = right;
  right.mask.bias = make_tensor(right.format, {1, 1, 2, 2});
  wrong.mask.bias = right.mask.bias;
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      right.mask.bias->set(0, 0, i, j, -0.5 * static_cast<double>(i - j));
      wrong.mask.bias->set(0, 0, i, j, -0.5 * static_cast<double>(i - j + 5));
    }
  }
  EXPECT_NEAR(output(right, 1), output(wrong, 1), 1e-12);
  EXPECT_NEAR(lse(right, 1) - lse(wrong, 1), 2.5, 1e-12);
  for (Problem* p : {&right, &wrong}) p->sinks = make_tensor(p->format, {1, 1, 1, 1});
  EXPECT_GT(std::fabs(output(right, 1) - output(wrong, 1)), 0.1);
}

TEST(Tempting, RowsThatSumToOneProveTheAxis) {
  Problem p = worked_example(2);
  for (std::int64_t i = 0; i < 2; ++i) p.q.set(0, 0, i, 0, 0);
  EXPECT_NEAR(output(p, 0, Bug::query_axis), output(p), 1e-12);
  Problem longer = worked_example(3);
  for (std::int64_t i = 0; i < 3; ++i) longer.q.set(0, 0, i, 0, 0);
  EXPECT_GT(std::fabs(output(longer, 0, Bug::query_axis) - output(longer)), 1);
}

TEST(Tempting, ScoresOfMinusInfinityAreAnEmptyRow) {
  Problem p = worked_example(1, Format::binary32);
  for (std::int64_t j = 0; j < 2; ++j) p.k.set(0, 0, j, 0, minus_infinity);
  EXPECT_TRUE(std::isnan(output(p)));
  EXPECT_EQ(admit(p, plain_contract(), Rung::arb).o[0].kind, PlaceKind::exempt);
  set_bias(p, {minus_infinity, minus_infinity});
  for (std::int64_t j = 0; j < 2; ++j) p.k.set(0, 0, j, 0, 1);
  EXPECT_EQ(admit(p, plain_contract(), Rung::arb).o[0].kind, PlaceKind::exact);
}

TEST(Tempting, AWiderFormatsAnswerRoundsToTheNarrowOnes) {
  const double x = 1 + 0x1p-11 + 0x1p-30;
  const auto to = [](Format format, double y) { return decode(format, encode(format, y)); };
  EXPECT_EQ(to(Format::binary16, x), 1 + 0x1p-10);
  EXPECT_EQ(to(Format::binary16, to(Format::binary32, x)), 1);
}

TEST(Tempting, WhatRepeatsDoesNotDependOnThreads) {
  std::vector<float> values;
  for (int n = 0; n < 1000; ++n) values.push_back(1 / static_cast<float>(n + 3));
  const std::vector<float> front(values.begin(), values.begin() + 500),
      back(values.begin() + 500, values.end());
  EXPECT_EQ(sum_in_order(values), sum_in_order(values));
  EXPECT_NE(sum_in_order(values), sum_in_order(front) + sum_in_order(back));
}

TEST(Tempting, AnyGroupedCaseShowsTheWrongMap) {
  const auto agree = [](std::int64_t H_kv, std::int64_t group) {
    for (std::int64_t h = 0; h < H_kv * group; ++h) {
      if (h / group != h % H_kv) return false;
    }
    return true;
  };
  EXPECT_TRUE(agree(1, 4));
  EXPECT_TRUE(agree(4, 1));
  EXPECT_FALSE(agree(2, 2));
}

}  // namespace
}  // namespace qkvet::test
