// An online softmax whose rescale is not exactly 1 where the maximum stays: exp2(M_old c - M_new c)
// contracted to exp2(fma(M_old, c, -fl(M_new c))).  docs/bounds.md 4.2
#include <gtest/gtest.h>

#include <algorithm>
#include <qkvet/problem/text.hpp>

#include "cases.hpp"

namespace qkvet {
namespace {

using test::contract;
using test::lse;
using test::output;

constexpr float log2_e = 1.44269504F;
constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

struct Answer {
  float o = 0, lse = 0;
};

/// Tiles of `tile` keys; d_k = d_v = 1, nothing masked.
Answer contracted(const Problem& p, std::int64_t tile) {
  const auto value = [](const Tensor& t, std::int64_t j) {
    return static_cast<float>(t.value(0, 0, j, 0));
  };
  const float q = value(p.q, 0);
  float maximum = minus_infinity, sum = 0, acc = 0;
  for (std::int64_t first = 0; first < p.shape.S; first += tile) {
    const std::int64_t last = std::min(first + tile, p.shape.S);
    const float before = maximum;
    for (std::int64_t j = first; j < last; ++j) maximum = std::max(maximum, q * value(p.k, j));
    const float shift = maximum * log2_e;
    const float alpha =
        before > minus_infinity ? std::exp2(std::fma(before, log2_e, -shift)) : 0.0F;
    sum *= alpha;
    acc *= alpha;
    for (std::int64_t j = first; j < last; ++j) {
      const float w = std::exp2(std::fma(q * value(p.k, j), log2_e, -shift));
      sum += w;
      acc += w * value(p.v, j);
    }
  }
  return {acc / sum, maximum + std::log(sum)};
}

Problem long_row() {
  return read_case(
      "qk1:b1.hq1.hk1.l1.s2001.dk1.dv1/f32/q:284/k:0x1.9e49cep0,0*1999,0x1.9e49cep0/v:0*2000,1",
      "drift");
}

TEST(Drift, OfAnUnchangedMaximumFailsUnderExactAndPassesUnderRounded) {
  const Problem p = long_row();
  const double got = static_cast<double>(contracted(p, 8).o);
  EXPECT_FALSE(output(p, contract("f32-any")).contains(got)) << got;
  EXPECT_TRUE(output(p, contract("f32-any", "unchanged_max = rounded\n")).contains(got)) << got;
  const Place tiled =
      output(p, contract("f32-ieee", "shift = fused\ntile = 8\nunchanged_max = rounded\n"));
  EXPECT_TRUE(tiled.contains(got)) << got;
  EXPECT_GT(tiled.ratio(got), 0.2) << "the term that this test is about is not exercised";
  EXPECT_FALSE(output(p, contract("f32-ieee", "shift = fused\ntile = 8\n")).contains(got));
}

TEST(Drift, OfTheLseIsTheWholeSum) {
  const Problem p = long_row();
  const double got = static_cast<double>(contracted(p, 8).lse);
  const char* const base_e = "[semantics]\nlse_base = e\n";
  const std::string lines = "shift = fused\ntile = 8\n";
  EXPECT_TRUE(
      lse(p, contract("f32-ieee", lines + "unchanged_max = rounded\n", base_e)).contains(got));
  EXPECT_FALSE(lse(p, contract("f32-ieee", lines, base_e)).contains(got));
}

TEST(Drift, IsCoveredForManyScoresTilesAndDirections) {
  double worst = 0;
  for (int t = 0; t < 60; ++t) {
    const float s = 100 + 37.77F * static_cast<float>(t);
    std::vector<double> k(400, 0), v(400, 0);
    k.front() = k.back() = static_cast<double>(s);
    v.back() = 1;
    const Problem p = test::scalars(1, k, v);
    const std::int64_t tile = t % 3 == 0 ? 1 : 4;
    const Answer got = contracted(p, tile);
    const Contract c = contract(
        "f32-ieee", "shift = fused\nunchanged_max = rounded\ntile = " + std::to_string(tile) + "\n",
        "[semantics]\nlse_base = e\n");
    const Place place = output(p, c);
    ASSERT_TRUE(place.contains(static_cast<double>(got.o))) << s << " " << got.o;
    ASSERT_TRUE(lse(p, c).contains(static_cast<double>(got.lse))) << s;
    worst = std::max(worst, place.ratio(static_cast<double>(got.o)));
  }
  EXPECT_GT(worst, 0.2);
}

TEST(Drift, CostsNothingWhereThereAreNoRescales) {
  const Problem p = test::scalars(1, {5, 3, 7}, {1, 2, 3});
  const double exact = output(p, contract("f32-ieee", "rescales = 0\n")).radius;
  const double drifting =
      output(p, contract("f32-ieee", "rescales = 0\nunchanged_max = rounded\n")).radius;
  EXPECT_DOUBLE_EQ(exact, drifting);
}

}  // namespace
}  // namespace qkvet
