// Tightness where it can be checked by hand, the box against all vertices, the hull rule, dead
// keys, and what must hold for every problem: no NaN radius, wider intervals and looser contracts
// admit more.
#include <gtest/gtest.h>

#include <algorithm>
#include <qkvet/bound/row_bound.hpp>
#include <qkvet/problem/draw.hpp>

#include "cases.hpp"

namespace qkvet {
namespace {

using test::add_bias;
using test::contract;
using test::lse;
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
  EXPECT_LT(place.radius, 32 * 0x1p-19) << "more than 32 ulps of 17.5";
  EXPECT_GT(place.ratio(17.5 + 2 * place.radius), 1.9);
}

TEST(Bound, SingleKeyHasNoScoreError) {
  const Problem p = scalars(1e4, {1.0}, {3});
  const Place place = output(p, contract("f32-ieee"));
  EXPECT_TRUE(place.contains(3));
  EXPECT_LT(place.radius, 3 * 16 * 0x1p-24);
}

TEST(Bound, TermsOfAnExplanationSumToTheRadius) {
  const Problem p = scalars(1, {0, std::log(3.0), 1}, {10, 20, -4});
  const Contract c = contract("f32-any");
  const RowEnclosure row = enclose_row(p, c.semantics, Rung::arb, 0, 0, 0);
  double sum = 0;
  const std::vector<Term> terms = explain_bound(p, c, row, 0);
  for (const Term& term : terms) sum += term.value;
  EXPECT_GT(terms.size(), 5U);
  EXPECT_NEAR(sum, output(p, c).radius, 1e-12 * sum);
}

/// The largest weighted mean over all vertices of the box.
double best_vertex(const std::vector<bound::BoxItem>& items) {
  double best = -1e300;
  for (std::size_t bits = 0; bits < (std::size_t{1} << items.size()); ++bits) {
    long double numerator = 0, weight = 0;
    for (std::size_t j = 0; j < items.size(); ++j) {
      const auto w = static_cast<long double>((bits >> j & 1) != 0 ? items[j].hi : items[j].lo);
      numerator += w * static_cast<long double>(items[j].v);
      weight += w;
    }
    if (weight > 0) best = std::max(best, static_cast<double>(numerator / weight));
  }
  return best;
}

TEST(Box, IsTheBestVertex) {
  Choices choices = Choices::from_seed(5);
  for (int t = 0; t < 3000; ++t) {
    std::vector<bound::BoxItem> items(1 + choices.below(6));
    for (auto& item : items) {
      item.v = choices.gaussian();
      const double w = std::exp(10 * choices.gaussian());
      const double d = choices.chance(1, 4) ? 38 * choices.unit() : choices.unit();
      item.lo = w * std::exp(-d);
      item.hi = w * std::exp(d);
    }
    const Interval range = bound::box_range(items);
    const double up = best_vertex(items);
    for (auto& item : items) item.v = -item.v;
    const double down = -best_vertex(items);
    EXPECT_GE(range.hi, up - 1e-15);
    EXPECT_LE(range.lo, down + 1e-15);
    EXPECT_NEAR(range.hi, up, 1e-12);
    EXPECT_NEAR(range.lo, down, 1e-12);
  }
}

TEST(Box, V7WhereTheIterationStopsTooEarly) {
  const double s[] = {-1, -1, 1}, d[] = {38, 0.5, 0.5}, v[] = {-0.7, 1, -1};
  std::vector<bound::BoxItem> items;
  for (int j = 0; j < 3; ++j) items.push_back({v[j], std::exp(s[j] - d[j]), std::exp(s[j] + d[j])});
  EXPECT_NEAR(bound::box_range(items).hi, -0.4621, 1e-4);
}

TEST(Hull, DecidesWhereScoresHaveLostTheirMeaning) {
  const Problem p = scalars(3e4, {3000, 3000.00025}, {1, 3});
  const Place place = output(p, contract("f32-ieee"));
  EXPECT_GT(place.radius, 1.9) << "either key may win";
  EXPECT_TRUE(place.contains(1));
  EXPECT_TRUE(place.contains(3));
  EXPECT_FALSE(place.contains(0.999));
  EXPECT_FALSE(place.contains(3.001));
  EXPECT_GT(place.ratio(3.001), 1);
}

TEST(Hull, KindIsHullWhereTheBoundIsAsWideAsTheValues) {
  const Problem p = scalars(1, {0, 0}, {0x1p-149, -0x1p-149});
  const Place place = output(p, contract("f32-any"));
  EXPECT_EQ(place.kind, PlaceKind::hull) << "everything may flush";
  EXPECT_TRUE(place.contains(0));
}

TEST(Hull, AConstantColumnStaysCheckedWhateverTheScores) {
  const Problem p = scalars(3e4, {3000, 3000.001}, {2, 2});
  const Place place = output(p, contract("f32-ieee"));
  EXPECT_EQ(place.kind, PlaceKind::checked);
  EXPECT_LT(place.radius, 1e-5);
}

Problem padded(double bias, int keys) {
  Choices choices = Choices::from_seed(8);
  std::vector<double> k, v, b;
  for (int j = 0; j < keys; ++j) {
    k.push_back(choices.gaussian());
    v.push_back(choices.gaussian());
    b.push_back(j < 48 ? 0 : bias);
  }
  Problem p = scalars(1, k, v);
  add_bias(p, b);
  return p;
}

TEST(DeadKeys, S1DoNotBlowTheBound) {
  const double alone = output(padded(0, 48), contract("f32-ieee")).radius;
  for (const double bias : {-1e6, -1e9, -1e30, -3.4028234663852886e38 / 1.5}) {
    const Place place = output(padded(bias, 64), contract("f32-ieee"));
    ASSERT_EQ(place.kind, PlaceKind::checked) << bias;
    EXPECT_LT(place.radius, 1.5 * alone) << bias;
  }
  const Place least = output(padded(-3.4028234663852886e38, 64), contract("f32-ieee"));
  EXPECT_EQ(least.kind, PlaceKind::checked) << "finfo.min is the commonest mask of all";
  EXPECT_LT(least.radius, 1.5 * alone);
}

TEST(DeadKeys, S2DoNotBlowTheLse) {
  const Problem p = scalars(1, {5, -1e6}, {1, 2});
  EXPECT_LT(lse(p, contract("f32-ieee")).radius, 1e-5);
  EXPECT_LT(lse(p, contract("f32-any")).radius, 1e-4);
}

TEST(ConstantRadius, CoversWhatAdmitGivesForOnes) {
  const Problem p = scalars(1, {0, 1, 2, 3}, {1, 1, 1, 1});
  for (const char* name : {"f32-ieee", "f32-any", "f32-flash"}) {
    const Contract c = contract(name);
    const double free = constant_radius(c.arithmetic, p.shape, 4, 1, score_size(p, 0, 0, 0));
    EXPECT_LT(free, 1e-4) << name;
    EXPECT_GT(free, 4 * 0x1p-24) << name;
    EXPECT_GE(free, 0.5 * output(p, c).radius) << name;
  }
  EXPECT_TRUE(std::isinf(constant_radius(contract("f32-any").arithmetic, p.shape, 4, 1)));
  EXPECT_TRUE(std::isfinite(constant_radius(contract("f32-ieee").arithmetic, p.shape, 4, 1)));
}

TEST(Drawn, NoRadiusIsEverNaNAndLooserAdmitsMore) {
  Domain domain;
  domain.formats = {Format::binary32};
  domain.work_budget = 2000;
  const Contract tight = contract("f32-ieee"), loose = contract("f32-any");
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    Choices choices = Choices::from_seed(mix(seed));
    Problem p = draw(choices, domain).problem;
    p.want_lse = true;
    const Admissible narrow = admit(p, tight, Rung::arb), wide = admit(p, loose, Rung::arb);
    const Admissible first = admit(p, tight, Rung::first);
    const auto look = [&](const std::vector<Place>& a, const std::vector<Place>& b,
                          const std::vector<Place>& c, bool lse_places) {
      for (std::size_t e = 0; e < a.size(); ++e) {
        for (const Place* place : {&a[e], &b[e], &c[e]}) {
          ASSERT_GE(place->radius, 0) << seed;
          ASSERT_FALSE(std::isnan(place->allowed.lo) || std::isnan(place->allowed.hi)) << seed;
        }
        if (a[e].kind != PlaceKind::checked) continue;
        ++compared;
        const auto inside = [&](const Place& outer, double slack) {
          return outer.anything || (outer.allowed.lo <= a[e].allowed.lo + slack &&
                                    a[e].allowed.hi - slack <= outer.allowed.hi);
        };
        const double slack = 1e-12 * (a[e].exact.magnitude() + a[e].radius);
        ASSERT_TRUE(inside(c[e], slack) || c[e].kind == PlaceKind::hull)
            << "first rung, seed " << seed;
        if (b[e].kind == PlaceKind::checked && !lse_places) {
          ASSERT_GE(b[e].radius, a[e].radius * (1 - 1e-12)) << seed;
        }
      }
    };
    look(narrow.o, wide.o, first.o, false);
    look(narrow.lse, wide.lse, first.lse, true);
  }
  EXPECT_GT(compared, 5000);
}

}  // namespace
}  // namespace qkvet
