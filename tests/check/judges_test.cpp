// The judges on hand-made exhibits: borders, NaN, infinities, signs of zero, repeats.
#include <gtest/gtest.h>

#include <qkvet/check/examine.hpp>
#include <qkvet/check/free.hpp>
#include <qkvet/check/judge_own.hpp>
#include <qkvet/check/meet.hpp>

#include "exhibits.hpp"

namespace qkvet::test {
namespace {

constexpr double ulp = 0x1p-23;  // of f32 in [1, 2)

Verdict own(OneRow& row) {
  Ledger ledger("test");
  judge_own(ledger, row.exhibit());
  return ledger.verdict();
}

bool passes(const Verdict& verdict) { return std::holds_alternative<Pass>(verdict); }
bool fails(const Verdict& verdict) { return std::holds_alternative<Fail>(verdict); }

TEST(Own, AcceptsExactlyOnTheBorder) {
  OneRow above({checked(1, 4 * ulp)}, {1 + 4 * ulp});
  OneRow below({checked(1, 4 * ulp)}, {1 - 4 * ulp});
  EXPECT_TRUE(passes(own(above)));
  EXPECT_TRUE(passes(own(below)));
}

TEST(Own, RejectsOneUlpOutside) {
  OneRow above({checked(1, 4 * ulp)}, {1 + 5 * ulp});
  OneRow below({checked(1, 4 * ulp)}, {1 - 4.5 * ulp});
  EXPECT_TRUE(fails(own(above)));
  EXPECT_TRUE(fails(own(below)));
}

TEST(Own, NeverPassesNanAtACheckedPlace) {
  OneRow row({checked(1, 0.5), checked(0, infinity)}, {not_a_number, not_a_number});
  const Verdict verdict = own(row);
  ASSERT_TRUE(fails(verdict));
  EXPECT_EQ(finding_of(verdict)->label, "non-finite");
}

TEST(Own, NeverPassesAnythingWhereTheRadiusIsNan) {
  OneRow row({checked(1, not_a_number)}, {1});
  EXPECT_TRUE(fails(own(row)));
}

TEST(Own, RejectsInfinityWhereAFiniteValueIsDue) {
  OneRow plus({checked(1, 0.5)}, {infinity});
  OneRow minus({checked(1, 0.5)}, {-infinity});
  EXPECT_TRUE(fails(own(plus)));
  EXPECT_TRUE(fails(own(minus)));
}

TEST(Own, RejectsAFiniteValueWhereNanIsDue) {
  OneRow wrong({due_nan()}, {0});
  OneRow right({due_nan()}, {not_a_number});
  EXPECT_TRUE(fails(own(wrong)));
  EXPECT_TRUE(passes(own(right)));
}

TEST(Own, TakesMinusZeroForZero) {
  OneRow zero({exactly(0)}, {-0.0});
  OneRow tiny({exactly(0)}, {0x1p-149});
  EXPECT_TRUE(passes(own(zero)));
  EXPECT_TRUE(fails(own(tiny)));
}

TEST(Own, JudgesRepeatsToo) {
  OneRow row({checked(1, 0.5)}, {1});
  row.exhibit().observation.repeats.push_back(OneRow::outputs_of({2}));
  const Verdict verdict = own(row);
  ASSERT_TRUE(fails(verdict));
  EXPECT_NE(finding_of(verdict)->message.find("repeat"), std::string::npos);
}

TEST(Own, ReportsTheWorstPlace) {
  OneRow row({checked(1, 0.5), checked(1, 0.5), checked(1, 0.5)}, {1.75, 4, 2});
  const Verdict verdict = own(row);
  ASSERT_TRUE(fails(verdict));
  EXPECT_EQ(finding_of(verdict)->place.c, 1);
  EXPECT_DOUBLE_EQ(finding_of(verdict)->excess, 6);
}

TEST(Own, HeadroomIsTheWorstRatio) {
  OneRow row({checked(1, 0.5), checked(1, 0.5)}, {1.25, 1.125});
  const Verdict verdict = own(row);
  ASSERT_TRUE(passes(verdict));
  EXPECT_NEAR(std::get<Pass>(verdict).headroom, 0.5, 0x1p-40);
}

// check-06: from the nearer end of a wide enclosure.
TEST(Own, MeasuresAnExcessFromTheNearerEnd) {
  for (const double got : {0.0, 3.0}) {
    Place place = checked(1, 0.5);
    place.exact = {1, 2};
    place.allowed = {0.5, 2.5};
    OneRow row({place}, {got});
    const Verdict verdict = own(row);
    ASSERT_TRUE(fails(verdict));
    EXPECT_EQ(finding_of(verdict)->excess, 2);
  }
}

TEST(Own, CountsExemptPlacesAndDecidesNothingFromThem) {
  OneRow row({exempt(), exempt()}, {0.5, not_a_number});
  const Verdict verdict = own(row);
  EXPECT_TRUE(std::holds_alternative<Undecided>(verdict));
  EXPECT_EQ(tally_of(verdict).exempt, 2);
}

TEST(Own, RejectsGarbageAtAnExemptPlace) {
  OneRow row({exempt()}, {7});
  EXPECT_TRUE(fails(own(row)));
}

TEST(Own, JudgesTheLseOnlyIfItWasReturned) {
  OneRow row({checked(1, 0.5)}, {1});
  row.exhibit().admissible.lse = {checked(2, 0.25)};
  EXPECT_TRUE(passes(own(row)));
  row.exhibit().observation.outputs.lse = {encode(Format::binary32, 3)};
  const Verdict verdict = own(row);
  ASSERT_TRUE(fails(verdict));
  EXPECT_EQ(finding_of(verdict)->place.c, -1);
}

TEST(Own, PlacesWithoutAFiniteBoundAreVacuousNotUndecided) {
  Place nothing = checked(0, 0);
  nothing.kind = PlaceKind::uncheckable;
  nothing.anything = true;
  OneRow overflow({nothing, exempt()}, {7, 0});
  EXPECT_EQ(word(own(overflow)), "undecided");
  nothing.vacuous = true;
  OneRow row({nothing, exempt()}, {7, 0});
  const Verdict verdict = own(row);
  ASSERT_EQ(word(verdict), "vacuous");
  EXPECT_EQ(tally_of(verdict).vacuous, 1);
  EXPECT_EQ(tally_of(verdict).uncheckable, 1);
  OneRow beside({nothing, checked(1, 1)}, {7, 1});
  EXPECT_TRUE(passes(own(beside)));
}

Verdict met(OneRow& a, OneRow& b, const Interval& shift = {0, 0}) {
  Ledger ledger("test");
  ledger.count(checked(1, 1));
  meet(ledger, {&a.exhibit(), {}}, {&b.exhibit(), {}}, shift);
  return ledger.verdict();
}

TEST(Meet, AcceptsADistanceOfExactlyBothRadii) {
  OneRow a({checked(1, 2 * ulp)}, {1 - 2 * ulp});
  OneRow b({checked(1, 3 * ulp)}, {1 + 3 * ulp});
  EXPECT_TRUE(passes(met(a, b)));
}

TEST(Meet, RejectsOneUlpMore) {
  OneRow a({checked(1, 2 * ulp)}, {1 - 2 * ulp});
  OneRow b({checked(1, 3 * ulp)}, {1 + 4 * ulp});
  EXPECT_TRUE(fails(met(a, b)));
}

TEST(Meet, RejectsNanOnEitherSide) {
  OneRow good({checked(1, 0.5)}, {1});
  OneRow bad({checked(1, 0.5)}, {not_a_number});
  EXPECT_TRUE(fails(met(good, bad)));
  EXPECT_TRUE(fails(met(bad, good)));
  EXPECT_TRUE(fails(met(bad, bad)));
}

TEST(Meet, RejectsEqualInfinities) {
  OneRow a({checked(1, 0.5)}, {infinity});
  OneRow b({checked(1, 0.5)}, {infinity});
  EXPECT_TRUE(fails(met(a, b)));
}

TEST(Meet, AddsTheShift) {
  OneRow a({checked(1, 0.25)}, {1});
  OneRow b({checked(3, 0.25)}, {3});
  EXPECT_TRUE(passes(met(a, b, {2, 2})));
}

// The ends of the shifted interval, one by one: check-02, check-13 of docs/harness.md.
TEST(Meet, AddsBothEndsOfAWideShift) {
  const auto shifted = [](double got) {
    OneRow a({checked(5, 0.25)}, {5});
    OneRow b({checked(7, 0.25)}, {got});
    return met(a, b, {1, 2});  // from 6 - 0.5 to 7 + 0.5
  };
  EXPECT_TRUE(passes(shifted(5.5)) && passes(shifted(7.5)));
  EXPECT_TRUE(fails(shifted(5.25)) && fails(shifted(7.75)));
}

// check-10: how much of both radii was used.
TEST(Meet, MeasuresTheDistanceInBothRadii) {
  for (const double got : {1.0, 3.0}) {
    OneRow a({checked(2, 1)}, {2});
    OneRow b({checked(2, 3)}, {got});
    const Verdict verdict = met(a, b);
    ASSERT_TRUE(passes(verdict));
    EXPECT_NEAR(std::get<Pass>(verdict).headroom, 0.25, 1e-12);
  }
}

TEST(Meet, BlamesTheOracleIfTheEnclosuresContradictTheRelation) {
  OneRow a({checked(1, 10)}, {1});
  OneRow b({checked(3, 10)}, {1});
  EXPECT_THROW((void)met(a, b), OracleDisagreement);
}

TEST(Meet, HasNothingToSayOfExemptPlaces) {
  OneRow a({exempt()}, {0.5});
  OneRow b({checked(3, 1)}, {3});
  EXPECT_TRUE(passes(met(a, b)));
}

Verdict same(OneRow& a, OneRow& b) {
  Ledger ledger("test");
  ledger.count(checked(1, 1));
  equal_bits(ledger, {&a.exhibit(), {}}, {&b.exhibit(), {}});
  return ledger.verdict();
}

TEST(Bits, RejectOneUlp) {
  OneRow a({checked(1, 0.5)}, {1});
  OneRow b({checked(1, 0.5)}, {1 + ulp});
  EXPECT_TRUE(passes(same(a, a)));
  EXPECT_TRUE(fails(same(a, b)));
}

TEST(Bits, TakeBothZerosForEqual) {
  OneRow a({checked(0, 0.5)}, {0});
  OneRow b({checked(0, 0.5)}, {-0.0});
  EXPECT_TRUE(passes(same(a, b)));
}

TEST(Bits, TakeNanForEqualOnlyWhereBothPlacesAdmitIt) {
  OneRow due({due_nan()}, {not_a_number});
  OneRow due_too({due_nan()}, {-not_a_number});
  OneRow wrong({checked(1, 0.5)}, {not_a_number});
  EXPECT_TRUE(passes(same(due, due_too)));
  EXPECT_TRUE(fails(same(due, wrong)));
  EXPECT_TRUE(fails(same(wrong, wrong)));
}

TEST(Bits, DoNotReachAPlaceThatOnlyOneSideLeavesOpen) {
  OneRow a({checked(1, 0.5)}, {1});
  OneRow b({exempt()}, {not_a_number});
  EXPECT_TRUE(passes(same(a, b)));
}

Verdict freely(OneRow& row, const Interval& exact, double radius) {
  Ledger ledger("test");
  ledger.count(checked(1, 1));
  judge_free(ledger, {&row.exhibit(), {}}, exact, radius, "");
  return ledger.verdict();
}

TEST(Free, DemandsExactZeroExactly) {
  OneRow zero({checked(0, 0.5)}, {-0.0});
  OneRow tiny({checked(0, 0.5)}, {0x1p-149});
  OneRow nan({checked(0, 0.5)}, {not_a_number});
  EXPECT_TRUE(passes(freely(zero, {0, 0}, 0)));
  EXPECT_TRUE(fails(freely(tiny, {0, 0}, 0)));
  EXPECT_TRUE(fails(freely(nan, {0, 0}, 0)));
}

TEST(Free, BlamesTheOracleIfItsEnclosureMissesTheKnownValue) {
  OneRow row({checked(1, 100)}, {2});
  EXPECT_THROW((void)freely(row, {2, 2}, 1), OracleDisagreement);
}

TEST(Free, DecidesPlacesWhoseBoundIsAsWideAsV) {
  Place place = checked(1, 100);
  place.kind = PlaceKind::hull;
  OneRow inside({place}, {1.5});
  OneRow outside({place}, {2.5});
  EXPECT_TRUE(passes(freely(inside, {1, 2}, 0.25)));
  EXPECT_TRUE(fails(freely(outside, {1, 2}, 0.25)));
}

TEST(Verdict, HasOnePrintedWordEach) {
  EXPECT_EQ(word(Verdict{Pass{}}), "pass");
  EXPECT_EQ(word(Verdict{Fail{}}), "FAIL");
  EXPECT_EQ(word(Verdict{Suspect{}}), "suspect");
  EXPECT_EQ(word(Verdict{Refused{}}), "refused");
  EXPECT_EQ(word(Verdict{Vacuous{}}), "vacuous");
  EXPECT_EQ(word(Verdict{Undecided{}}), "undecided");
}

TEST(Finding, SignatureNamesTheClassOfTheValueButNotItsPlace) {
  Finding a;
  a.property = "p";
  a.label = "wrong";
  a.got = 1;
  Finding b = a;
  b.got = 2;
  b.place = {1, 2, 3, 4};
  EXPECT_EQ(a.signature(), b.signature());
  b.got = not_a_number;
  EXPECT_NE(a.signature(), b.signature());
}

}  // namespace
}  // namespace qkvet::test
