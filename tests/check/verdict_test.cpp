// Counts of places, as verdicts carry them, and signatures.
#include <gtest/gtest.h>

#include <limits>
#include <qkvet/check/verdict.hpp>

namespace qkvet {
namespace {

Tally tally_of(std::int64_t checked, std::int64_t hull, std::int64_t exact, std::int64_t exempt,
               std::int64_t uncheckable, std::int64_t vacuous) {
  Tally tally;
  const auto add = [&](PlaceKind kind, std::int64_t count, bool is_vacuous = false) {
    Place place;
    place.kind = kind;
    place.vacuous = is_vacuous;
    for (std::int64_t n = 0; n < count; ++n) tally.add(place);
  };
  add(PlaceKind::checked, checked);
  add(PlaceKind::hull, hull);
  add(PlaceKind::exact, exact);
  add(PlaceKind::exempt, exempt);
  add(PlaceKind::uncheckable, uncheckable - vacuous);
  add(PlaceKind::uncheckable, vacuous, true);
  return tally;
}

TEST(Tally, AddsUpEachKindByItself) {
  Tally sum = tally_of(1, 2, 3, 4, 5, 1);
  sum += tally_of(10, 20, 30, 40, 50, 7);
  EXPECT_EQ(sum.checked, 11);
  EXPECT_EQ(sum.hull, 22);
  EXPECT_EQ(sum.exact, 33);
  EXPECT_EQ(sum.exempt, 44);
  EXPECT_EQ(sum.uncheckable, 55);
  EXPECT_EQ(sum.vacuous, 8);
  EXPECT_EQ(sum.total(), 165);
}

TEST(Signature, TellsFindingsApartByPropertyLabelRunAndClass) {
  Finding finding;
  finding.property = "matches-reference";
  finding.label = "wrong";
  finding.run = "twin";
  Finding label = finding, run = finding, property = finding, got = finding;
  label.label = "non-finite";
  run.run = "";
  property.property = "convex-hull";
  got.got = std::numeric_limits<double>::quiet_NaN();
  for (const Finding& other : {label, run, property, got}) {
    EXPECT_NE(other.signature(), finding.signature());
  }
  Finding elsewhere = finding;
  elsewhere.message = "another case";
  elsewhere.place = {1, 2, 3, 4};
  elsewhere.got = 2;
  elsewhere.excess = 7;
  EXPECT_EQ(elsewhere.signature(), finding.signature());
}

/// Else a smaller case with fewer rows would be another finding.
TEST(Signature, KnowsNoNumbersOfARun) {
  Finding nine, two, other;
  nine.run = "row 9 over its own keys, shifted -65536.5";
  two.run = "row 12 over its own keys, shifted 3";
  other.run = "row 9 over all keys";
  EXPECT_EQ(nine.signature(), two.signature());
  EXPECT_EQ(nine.signature(), "||row # over its own keys, shifted #|finite|checked");
  EXPECT_NE(nine.signature(), other.signature());
  nine.label = "wrong";
  EXPECT_EQ(nine.outcome(), "wrong finite checked");
}

}  // namespace
}  // namespace qkvet
