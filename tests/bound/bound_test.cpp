// Tightness where it can be checked by hand, the hull rule, dead keys, and that nothing is ever NaN.
#include <gtest/gtest.h>

#include "cases.hpp"

namespace qkvet {
namespace {

using test::contract;
using test::output;
using test::scalars;

TEST(Bound, WorkedExampleIsWithinAFewUlps) {
  const Problem p = scalars(1, {0, std::log(3.0)}, {10, 20});
  const Place place = output(p, contract("f32-ieee"));
  EXPECT_EQ(place.kind, PlaceKind::checked);
  EXPECT_TRUE(place.contains(17.5));
  EXPECT_TRUE(place.contains(17.5 + 0x1p-19));
  EXPECT_FALSE(place.contains(17.501));
  EXPECT_GT(place.radius, 0);
  EXPECT_LT(place.radius, 64 * 0x1p-20) << "more than 64 ulps of 17.5";
}

TEST(Bound, SingleKeyHasNoScoreError) {
  const Problem p = scalars(1e4, {1.0}, {3});
  const Place place = output(p, contract("f32-ieee"));
  EXPECT_TRUE(place.contains(3));
  EXPECT_LT(place.radius, 3 * 16 * 0x1p-24);
}

}  // namespace
}  // namespace qkvet
