// Probe columns: what they hold, and that they leave alone what they must.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <qkvet/problem/draw.hpp>
#include <set>

#include "properties/probe_columns.hpp"
#include "properties/registry.hpp"

namespace qkvet::test {
namespace {

Problem gaussian(std::int64_t d_v, Format format = Format::binary32) {
  Problem p;
  p.format = format;
  p.shape = {2, 2, 2, 3, 70, 2, d_v};
  p.q = make_tensor(format, {2, 2, 3, 2});
  p.k = make_tensor(format, {2, 2, 70, 2});
  p.v = make_tensor(format, {2, 2, 70, d_v});
  Choices choices = Choices::from_seed(7);
  for (Tensor* tensor : {&p.q, &p.k, &p.v}) {
    for (std::uint64_t& bits : tensor->bits) bits = encode(format, choices.gaussian());
  }
  return p;
}

enum class Kind : std::uint8_t { drawn, ones, one_hot, signs };

Kind kind_of(const Problem& p, std::int64_t d) {
  int ones = 0, minus = 0, zeros = 0;
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    const double x = p.v.value(0, 0, j, d);
    ones += same_bits(encode(p.format, x), encode(p.format, 1)) ? 1 : 0;
    minus += same_bits(encode(p.format, x), encode(p.format, -1)) ? 1 : 0;
    zeros += std::fabs(x) > 0 ? 0 : 1;
  }
  if (ones == p.shape.S) return Kind::ones;
  if (ones == 1 && zeros == p.shape.S - 1) return Kind::one_hot;
  return ones > 0 && minus > 0 && ones + minus == p.shape.S ? Kind::signs : Kind::drawn;
}

TEST(Probes, AreTheLastColumnsAndAtMostHalfOfThem) {
  for (const Format format : {Format::binary32, Format::binary16, Format::bfloat16}) {
    const Problem before = gaussian(9, format);
    Problem p = before;
    add_probes(p, 3);
    EXPECT_EQ(kind_of(p, 8), Kind::one_hot);
    EXPECT_EQ(kind_of(p, 7), Kind::ones);
    EXPECT_EQ(kind_of(p, 6), Kind::signs);
    EXPECT_EQ(kind_of(p, 5), Kind::one_hot);
    for (std::int64_t d = 0; d < 5; ++d) {
      for (std::int64_t j = 0; j < 70; ++j) {
        EXPECT_EQ(p.v.value(1, 1, j, d), before.v.value(1, 1, j, d));
      }
    }
  }
}

TEST(Probes, AFewColumnsGetEachKindInTurn) {
  std::set<Kind> seen;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Problem p = gaussian(2);
    add_probes(p, seed);
    seen.insert(kind_of(p, 1));
    EXPECT_EQ(kind_of(p, 0), Kind::drawn);
  }
  EXPECT_EQ(seen, (std::set<Kind>{Kind::ones, Kind::one_hot, Kind::signs}));
}

TEST(Probes, OneHotColumnsReachTheLastKeyAndBothSidesOfABorder) {
  std::set<std::int64_t> keys;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Problem p = gaussian(8);
    add_probes(p, seed);
    for (std::int64_t j = 0; j < 70; ++j) {
      if (p.v.value(0, 0, j, 7) > 0) keys.insert(j);
    }
  }
  for (const std::int64_t key : {15, 16, 63, 64, 69}) EXPECT_TRUE(keys.contains(key)) << key;
}

TEST(Probes, AreTheSameInEveryEntryOfABatch) {
  Problem p = gaussian(8);
  add_probes(p, 5);
  for (std::int64_t g = 0; g < 2; ++g) {
    for (std::int64_t j = 0; j < 70; ++j) {
      for (std::int64_t d = 4; d < 8; ++d) {
        EXPECT_EQ(p.v.value(0, g, j, d), p.v.value(1, g, j, d));
      }
    }
  }
}

TEST(Probes, LeaveASingleColumnAndNonfiniteValuesAlone) {
  const Problem one = gaussian(1);
  Problem p = one;
  add_probes(p, 1);
  EXPECT_EQ(p.v.bits, one.v.bits);
  Problem nan = gaussian(8);
  nan.v.set(1, 1, 69, 0, std::numeric_limits<double>::quiet_NaN());
  p = nan;
  add_probes(p, 1);
  EXPECT_EQ(p.v.bits, nan.v.bits);
}

TEST(Probes, RideAlongInHalfOfTheProblemsOfMatchesReference) {
  const Property& property = *property_named("matches-reference");
  ASSERT_NE(property.prepare, nullptr);
  int changed = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Problem p = gaussian(4);
    property.prepare(p, mix(seed));
    changed += kind_of(p, 3) == Kind::drawn ? 0 : 1;
  }
  EXPECT_GT(changed, 70);
  EXPECT_LT(changed, 130);
}

}  // namespace
}  // namespace qkvet::test
