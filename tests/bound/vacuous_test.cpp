// Contracts that promise nothing: the places are vacuous, which is said and never a pass.
#include <gtest/gtest.h>

#include "cases.hpp"

namespace qkvet {
namespace {

using test::contract;
using test::lse;
using test::output;
using test::scalars;

/// f16 sums: u = 2^-11, so that 1024 roundings are too many for any bound.
Contract f16_sums() {
  return contract("f16-fused",
                  "accumulator = f16\nrescales = 0\nmerge = none\nshift = exact\n"
                  "lazy_rescale = 0\nlate_sink = no\n");
}

Problem equal(std::size_t keys) {
  return scalars(0, std::vector<double>(keys, 0), std::vector<double>(keys, 1), Format::binary16);
}

TEST(Vacuous, F16SumsOverALongRowPromiseNothing) {
  const Place place = output(equal(1024), f16_sums());
  EXPECT_EQ(place.kind, PlaceKind::uncheckable);
  EXPECT_TRUE(place.vacuous);
  EXPECT_TRUE(lse(equal(1024), f16_sums()).vacuous);
}

TEST(Vacuous, OverAShortRowTheyDo) {
  const Place place = output(equal(64), f16_sums());
  EXPECT_NE(place.kind, PlaceKind::uncheckable);
  EXPECT_FALSE(place.vacuous);
  EXPECT_FALSE(lse(equal(64), f16_sums()).vacuous);
}

TEST(Vacuous, DeclaredTilesBringTheBoundBack) {
  Contract tiled = f16_sums();
  tiled.arithmetic.tile = 64;
  EXPECT_FALSE(output(equal(1024), tiled).vacuous);
  EXPECT_EQ(output(equal(1024), tiled).kind, PlaceKind::checked);
}

TEST(Vacuous, OverflowIsNot) {
  const Place place = output(scalars(0, {0, 0}, {3e38, 3e38}), contract("f32-any"));
  EXPECT_EQ(place.kind, PlaceKind::uncheckable);
  EXPECT_FALSE(place.vacuous);
}

TEST(Vacuous, F16ProductsOfManyChannelsAreToo) {
  const std::size_t d_k = 1100;
  const Problem p = test::one_row(std::vector<double>(d_k, 1),
                                  {std::vector<double>(d_k, 0x1p-12), std::vector<double>(d_k, 0)},
                                  {{1}, {2}}, Format::binary16);
  EXPECT_TRUE(output(p, contract("f16-fused", "dot = f16\nmerge = none\nshift = exact\n")).vacuous);
  EXPECT_FALSE(output(p, contract("f16-fused")).vacuous);
}

}  // namespace
}  // namespace qkvet
