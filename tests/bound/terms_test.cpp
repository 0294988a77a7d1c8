// Single terms of the bound, each in the case that needs it. Faults of docs/harness.md that no
// other test noticed are named beside the test that was written for them.
#include <gtest/gtest.h>

#include <algorithm>
#include <qkvet/bound/row_bound.hpp>

#include "cases.hpp"

namespace qkvet {
namespace {

using bound::at;
using bound::Part;
using test::add_bias;
using test::contract;
using test::lse;
using test::one_row;
using test::output;
using test::scalars;

bound::RowBound bound_of(const Problem& p, const Contract& c) {
  return bound::row_bound(p, c, enclose_row(p, c.semantics, Rung::arb, 0, 0, 0), 0, 0, 0);
}

// bound-02. The products of a score that cancels to 0 leave an error behind, and that is rounded.
TEST(Terms, AScoreThatCancelsIsRoundedWithTheErrorOfItsDot) {
  const Problem p = one_row({1, 1}, {{1, -1}, {0, 0}}, {{1}, {0}});
  const Contract c = contract("f32-any", "score_rounds = 1\n");
  bound::RowBound row = bound_of(p, c);
  bound::Parts& parts = row.keys.at(0).parts;
  ASSERT_GT(at(parts, Part::dot).value(), 0);
  EXPECT_GE(at(parts, Part::add).value(), 0x1p-24 * at(parts, Part::dot).value());
}

// bound-03. An ALiBi that counts from the first key is as large as the whole distance, and so are
// its roundings: those of the product, of the add, and of what follows.
TEST(Terms, AlibiFromTheFirstKeyIsRoundedAtTheSizeOfItsOrigin) {
  Problem p = scalars(1, {0, 0}, {1, -1});
  p.mask.diagonal = {Diagonal::Kind::fixed, {4096}};
  p.alibi_slopes = make_tensor(Format::binary32, {1, 1, 1, 1});
  p.alibi_slopes->set(0, 0, 0, 0, 1.0);
  const Contract c =
      contract("f32-any", "alibi_origin = first_key\nbias_rounds = 2\nscore_rounds = 0\n");
  bound::RowBound row = bound_of(p, c);
  const double roundings = row.facts.bias_rounds.value();
  ASSERT_GE(roundings, 4) << "two of the contract, two of the product";
  // |ALiBi| and its origin are 4096 (4095) each; the add sees |s| + origin once more.
  EXPECT_GE(at(row.keys.at(1).parts, Part::add).value(),
            0x1p-24 * (roundings * (4095 + 4096) + 4095 + 4096));
}

// bound-04. Scores that are stored low may be larger than exact ones, and so is what a fused shift
// or an LSE makes of them.
TEST(Terms, StoresMakeTheScoresOfAFusedShiftLarger) {
  const Contract c = contract("f16-any", "score_stores = 1\ncap_stores = 2\nshift = fused\n");
  bound::Letters l = bound::letters_of(c.arithmetic, scalars(1, {0}, {1}).shape, 2);
  ASSERT_TRUE(l.stores && l.fused);
  const double stored = bound::uncentred(l, Mag{100.0}, false).z.value();
  l.u_st = {};
  EXPECT_GE(stored, bound::uncentred(l, Mag{100.0}, false).z.value() * (1 + 3 * 0x1p-11));
}

// bound-05. The mean of an empty row rounds at the size of its own column, of either sign.
TEST(Terms, TheMeanOfAnEmptyRowRoundsAtTheSizeOfItsColumn) {
  Problem p =
      one_row({1}, {{0}, {0}, {0}}, {{0x1p-20, -1000, 1}, {0x1p-20, 1, -1}, {0x1p-20, -999, 1000}});
  p.mask.attend = BoolMask{{1, 1, 1, 3}, {0, 0, 0}};
  const Contract c =
      contract("f32-any", "mask_by = exclusion\n", "[semantics]\nempty_row = mean\n");
  for (const std::size_t column : {1u, 2u}) {
    const Place place = output(p, c, column);
    ASSERT_EQ(place.kind, PlaceKind::checked);
    EXPECT_GE(place.radius, 1000 * 0x1p-24);
  }
  EXPECT_LE(output(p, c, 0).radius, 0x1p-20 * 0x1p-18);
}

// bound-11. Each rescale of an accumulator may flush it once more.
TEST(Terms, EachRescaleMayFlushItsAccumulator) {
  const int n = 64;
  std::vector<double> v(n, 1e-36);
  for (int j = 0; j < n; j += 2) v[static_cast<std::size_t>(j)] = -1e-36;
  const Problem p = scalars(1, std::vector<double>(n, 0), v);
  const std::string rest = "shift = exact\nmerge = none\nnorm_first = no\nlazy_rescale = 0\n";
  const double none = output(p, contract("f32-any", rest + "rescales = 0\n")).radius;
  const double all = output(p, contract("f32-any", rest + "rescales = 64\n")).radius;
  const double flushed = 0x1p-126 / n;  // of the sum of n weights
  EXPECT_GE(all - none, 64 * flushed);
}

// bound-13. Both ends of a negative LSE, in base two too: the wider enclosure holds the narrow one.
TEST(Terms, AnEnclosureOfALseInBaseTwoHoldsANarrowerOne) {
  for (const double middle : {-3.0, 3.0}) {
    Problem p = scalars(1, {middle, middle - 0.3, middle - 0.7}, {1, 2, 3});
    p.want_lse = true;
    for (const char* base : {"two", "e"}) {
      const Contract c =
          contract("f32-ieee", "", std::string("[semantics]\nlse_base = ") + base + "\n");
      const Interval wide = admit(p, c, Rung::first).lse[0].exact;
      const Interval narrow = admit(p, c, Rung::arb).lse[0].exact;
      ASSERT_LT(narrow.hi - narrow.lo, (wide.hi - wide.lo) / 2);
      EXPECT_LE(wide.lo, narrow.lo) << base << middle;
      EXPECT_GE(wide.hi, narrow.hi) << base << middle;
    }
  }
}

// bound-14.
TEST(Terms, TheExactValueItselfHasNoError) {
  Place place;
  place.exact = {3, 3};
  place.radius = 0.5;
  place.allowed = {2.5, 3.5};
  EXPECT_EQ(place.ratio(3), 0);
  place.radius = 0;
  place.allowed = {3, 3};
  EXPECT_EQ(place.ratio(3), 0) << "0 of a radius of 0";
}

// infinity-has-no-sign.
TEST(Terms, AnAdmittedInfinityHasItsSign) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Place place;
  place.allowed = {0, 1};
  place.plus_inf = true;
  EXPECT_TRUE(place.contains(infinity));
  EXPECT_FALSE(place.contains(-infinity));
  place.plus_inf = false;
  place.minus_inf = true;
  EXPECT_TRUE(place.contains(-infinity));
  EXPECT_FALSE(place.contains(infinity));
}

// x / cap may be too small for the format: tanh of 0 and the cap give 0. (bound-16 takes one of two
// terms away that both pay for this.)
TEST(Terms, TheQuotientOfALargeSoftcapMayBeFlushed) {
  const Contract c = contract("f32-any", "tanh_absolute = no\n");
  Problem p = scalars(1, {0, 0.05}, {-1, 1});
  p.softcap = 1e37;
  EXPECT_TRUE(output(p, c).contains(0)) << "both scores flushed to 0";
  p.softcap = 1e30;
  EXPECT_FALSE(output(p, c).contains(0)) << "no quotient is that small";
}

// bound-21. A scale that its format flushes costs itself and no more.
TEST(Terms, AFlushedScaleIsLostOnce) {
  Problem p = scalars(1, {0, 1e40}, {-1, 1}, Format::binary64);
  p.scale = 1e-40;
  const Contract c = contract("f64-any", "dot = f64\nscore = f32\nscaled = f64\n");
  EXPECT_EQ(bound_of(p, c).facts.scale_lost.value(), 1);
}

}  // namespace
}  // namespace qkvet
