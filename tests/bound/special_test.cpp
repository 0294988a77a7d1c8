// Rows and places that need no error analysis: empty rows, sinks, NaN and infinities, the open
// conventions.
#include <gtest/gtest.h>

#include "cases.hpp"

namespace qkvet {
namespace {

using test::contract;
using test::lse;
using test::output;
using test::scalars;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Problem hidden_row() {
  Problem p = scalars(1, {0, 1}, {3, 5});
  p.mask.attend = BoolMask{{1, 1, 1, 1}, {0}};
  return p;
}

Contract meaning(const std::string& lines) {
  return contract("f32-ieee", "", "[semantics]\n" + lines);
}

TEST(EmptyRow, IsWhatTheContractSays) {
  const Problem p = hidden_row();
  const Place zero = output(p, meaning("empty_row = zero\n"));
  EXPECT_EQ(zero.kind, PlaceKind::exact);
  EXPECT_TRUE(zero.contains(0) && zero.contains(-0.0));
  EXPECT_FALSE(zero.contains(4) || zero.contains(nan) || zero.contains(1e-30));
  const Place due = output(p, meaning("empty_row = nan\n"));
  EXPECT_TRUE(due.contains(nan));
  EXPECT_FALSE(due.contains(0) || due.contains(4) || due.contains(infinity));
  const Place mean = output(p, meaning("empty_row = mean\n"));
  EXPECT_TRUE(mean.contains(4));
  EXPECT_FALSE(mean.contains(0) || mean.contains(nan));
  const Place open = output(p, contract("f32-ieee"));
  EXPECT_EQ(open.kind, PlaceKind::exempt);
  EXPECT_TRUE(open.contains(0) && open.contains(nan) && open.contains(4) && open.contains(3));
  EXPECT_FALSE(open.contains(2.9) || open.contains(5.1) || open.contains(infinity));
}

TEST(EmptyRow, LseIsWhatTheContractSays) {
  const Problem p = hidden_row();
  EXPECT_TRUE(lse(p, meaning("empty_lse = minus_inf\n")).contains(-infinity));
  EXPECT_FALSE(lse(p, meaning("empty_lse = minus_inf\n")).contains(infinity));
  EXPECT_FALSE(lse(p, meaning("empty_lse = minus_inf\n")).contains(nan));
  EXPECT_TRUE(lse(p, meaning("empty_lse = plus_inf\n")).contains(infinity));
  EXPECT_TRUE(lse(p, meaning("empty_lse = zero\n")).contains(0));
  EXPECT_FALSE(lse(p, meaning("empty_lse = zero\n")).contains(-infinity));
  EXPECT_EQ(lse(p, contract("f32-ieee")).kind, PlaceKind::exempt);
}

Problem with_sink(Problem p, double logit) {
  p.sinks = make_tensor(Format::binary32, {1, 1, 1, 1});
  p.sinks->set(0, 0, 0, 0, logit);
  return p;
}

TEST(EmptyRow, WithASinkIsZeroAndTheSink) {
  const Problem p = with_sink(hidden_row(), 2.5);
  for (const char* rule : {"empty_row = nan\n", "empty_row = zero\n", "empty_row = exempt\n"}) {
    EXPECT_TRUE(output(p, meaning(rule)).contains(0)) << rule;
    EXPECT_FALSE(output(p, meaning(rule)).contains(nan)) << rule;
  }
  const Contract e = meaning("lse_base = e\nlse_sink = included\n");
  EXPECT_TRUE(lse(p, e).contains(2.5));
  EXPECT_FALSE(lse(p, e).contains(2.501));
  EXPECT_FALSE(lse(p, e).contains(-infinity));
  EXPECT_TRUE(lse(p, meaning("lse_sink = excluded\nempty_lse = minus_inf\n")).contains(-infinity));
  const Problem none = with_sink(hidden_row(), -infinity);
  EXPECT_FALSE(output(none, meaning("empty_row = nan\n")).contains(0)) << "-inf is no sink";
}

TEST(Lse, OpenConventionsAdmitEachOfTheirValuesAndNothingBetween) {
  const Problem p = with_sink(scalars(1, {0, 0}, {3, 5}), 1.0);
  const double with = std::log(2 + std::exp(1.0)), without = std::log(2.0), base = std::log(2.0);
  const Place open = lse(p, contract("f32-ieee"));
  for (const double x : {with, without, with / base, without / base}) {
    EXPECT_TRUE(open.contains(x)) << x;
    EXPECT_LT(open.ratio(x), 1);
  }
  EXPECT_FALSE(open.contains((with + without) / 2));
  EXPECT_GT(open.ratio((with + without) / 2), 100);
  const Place closed = lse(p, meaning("lse_base = two\nlse_sink = excluded\n"));
  EXPECT_TRUE(closed.contains(1));
  EXPECT_FALSE(closed.contains(without) || closed.contains(with));
}

TEST(Nan, InAVisibleKeyIsDueOrExempt) {
  Problem p = scalars(1, {nan, 1}, {3, 5});
  const Contract due = meaning("visible_nan = due\n");
  EXPECT_TRUE(output(p, due).contains(nan));
  EXPECT_FALSE(output(p, due).contains(5));
  EXPECT_TRUE(output(p, contract("f32-ieee")).contains(nan));
  EXPECT_TRUE(output(p, contract("f32-ieee")).contains(5));
  EXPECT_FALSE(output(p, contract("f32-ieee")).contains(6));
}

TEST(Nan, InVTouchesItsColumnOnly) {
  const Problem p = test::one_row({1}, {{0}, {1}}, {{nan, 1}, {2, 3}});
  const Contract due = meaning("visible_nan = due\n");
  EXPECT_TRUE(output(p, due, 0).contains(nan));
  EXPECT_FALSE(output(p, due, 0).contains(2));
  EXPECT_EQ(output(p, due, 1).kind, PlaceKind::checked);
  EXPECT_FALSE(output(p, due, 1).contains(nan));
  EXPECT_TRUE(lse(p, due).contains(std::log(1 + std::exp(1.0))));
}

TEST(Nan, HiddenNeverMattersUnderSelectionElseItIsExempt) {
  Problem p = scalars(1, {nan, 1}, {nan, 5});
  p.mask.attend = BoolMask{{1, 1, 1, 2}, {0, 1}};
  const Place open = output(p, contract("f32-ieee"));
  EXPECT_EQ(open.kind, PlaceKind::exempt);
  EXPECT_TRUE(open.contains(nan) && open.contains(5));
  const Contract selection = contract("f32-ieee", "", "[promises]\nselection = yes\n");
  EXPECT_FALSE(output(p, selection).contains(nan));
  EXPECT_TRUE(output(p, selection).contains(5));
}

TEST(Infinity, VisibleIsExemptAndItsSignOpen) {
  const Problem p = scalars(1, {0, 1}, {infinity, 5});
  const Place place = output(p, meaning("visible_nan = due\n"));
  EXPECT_EQ(place.kind, PlaceKind::exempt);
  EXPECT_TRUE(place.contains(infinity) && place.contains(nan) && place.contains(5));
  EXPECT_FALSE(place.contains(7));
}

TEST(Overflow, OfTheAccumulatorIsUncheckableNotPassed) {
  const Problem p = scalars(1, {0, 0}, {3e38, 3e38});
  const Place place = output(p, contract("f32-ieee"));
  EXPECT_EQ(place.kind, PlaceKind::uncheckable);
  EXPECT_TRUE(place.contains(infinity));
  EXPECT_EQ(output(scalars(1, {0, 0}, {1e38, 1e38}), contract("f32-ieee")).kind,
            PlaceKind::checked);
}

TEST(Overflow, OfASubsetCountsAndSignsAreKeptApart) {
  const Contract c = contract("f32-ieee");
  EXPECT_EQ(output(scalars(1, {0, 0, 1000}, {3e38, 3e38, 1}), c).kind, PlaceKind::uncheckable)
      << "dead in the row, but an online kernel holds them first";
  EXPECT_EQ(output(scalars(1, {0, 0}, {3e38, -3e38}), c).kind, PlaceKind::checked);
  EXPECT_EQ(output(scalars(1, {0, -50, 1}, {2e38, 2e38, 1e38}), c).kind, PlaceKind::checked);
}

TEST(Overflow, OfAScoreIsUncheckable) {
  EXPECT_EQ(output(scalars(1e20, {1e20, 0}, {1, 2}), contract("f32-ieee")).kind,
            PlaceKind::uncheckable);
  const Problem hidden = [] {
    Problem p = scalars(1e20, {1e20, 0}, {1, 2});
    p.mask.attend = BoolMask{{1, 1, 1, 2}, {0, 1}};
    return p;
  }();
  EXPECT_EQ(output(hidden, contract("f32-any")).kind, PlaceKind::uncheckable);
  EXPECT_EQ(output(hidden, contract("f32-ieee")).kind, PlaceKind::checked);
}

TEST(Place, AcceptsOnATrueComparisonOnly) {
  Place place;
  place.exact = {1, 1};
  place.radius = 0.5;
  place.allowed = {0.5, 1.5};
  EXPECT_TRUE(place.contains(0.5) && place.contains(1.5));
  EXPECT_FALSE(place.contains(0.4999) || place.contains(nan) || place.contains(infinity));
  place.allowed = {nan, nan};
  EXPECT_FALSE(place.contains(1));
}

}  // namespace
}  // namespace qkvet
