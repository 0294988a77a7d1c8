// What the screen accepts at once, `admit` admits: outputs are moved to and beyond the edges of
// their allowed sets, under every contract that comes with qkvet.
#include "fuzz/screen.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <qkvet/bound/admissible.hpp>
#include <qkvet/contract/contract.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/text.hpp>

#include "fuzz/settings.hpp"

namespace qkvet::fuzz {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A value that the place admits, the exact one if there is one.
double honest(const Place& place, Format format) {
  if (place.kind == PlaceKind::exact || place.kind == PlaceKind::exempt) {
    if (place.nan) return std::numeric_limits<double>::quiet_NaN();
    if (place.minus_inf) return -infinity;
    if (place.plus_inf) return infinity;
    return 0;
  }
  return decode(format, encode(format, place.exact.mid()));
}

Seen honest_outputs(const Contract& contract, const Admissible& allowed) {
  Seen seen;
  for (const Place& place : allowed.o) seen.o.push_back(honest(place, contract.arithmetic.out));
  for (const Place& place : allowed.lse) {
    seen.lse.push_back(honest(place, contract.arithmetic.lse_out));
  }
  return seen;
}

struct Counts {
  int cases = 0, at_once = 0, moved = 0, moved_accepted = 0;
};

/// Moves the outputs or LSEs one after the other; what is accepted at once must be admitted.
void move_each(const Problem& problem, const Contract& contract, Screen& screen, Seen seen,
               std::vector<double> Seen::*values, const std::vector<Place>& places,
               Counts& counts) {
  constexpr double steps[] = {0.1, 0.5, 0.9, 1.0000001, 1.1, 3};
  for (std::size_t n = 0; n < places.size(); ++n) {
    const double kept = (seen.*values)[n];
    const auto check = [&](double got) {
      (seen.*values)[n] = got;
      ++counts.moved;
      if (!screen.accepts_at_once(problem, contract, seen)) return;
      ++counts.moved_accepted;
      EXPECT_TRUE(places[n].contains(got))
          << contract.name << ": " << got << " at place " << n
          << " was accepted at once, but is not admitted; " << write_case(problem);
    };
    for (const double step : steps) {
      check(kept + step * places[n].radius);
      check(kept - step * places[n].radius);
    }
    for (const double got : {std::nan(""), infinity, -infinity, 0.0, 1.0}) check(got);
    (seen.*values)[n] = kept;
  }
}

Counts try_contract(const Contract& contract, int cases) {
  Domain domain = domain_of(Size::tiny);
  domain.L.max = domain.d_v.max = 3;
  domain.formats = {contract.format};
  Counts counts;
  Screen screen;
  for (int n = 0; n < cases; ++n) {
    Choices choices = Choices::from_seed(mix(static_cast<std::uint64_t>(n)));
    const Problem problem = draw(choices, domain).problem;
    const Admissible allowed = admit(problem, contract, Rung::arb);
    const Seen seen = honest_outputs(contract, allowed);
    ++counts.cases;
    if (!screen.accepts_at_once(problem, contract, seen)) continue;
    ++counts.at_once;
    move_each(problem, contract, screen, seen, &Seen::o, allowed.o, counts);
    move_each(problem, contract, screen, seen, &Seen::lse, allowed.lse, counts);
  }
  return counts;
}

TEST(Screen, AcceptsAtOnceOnlyWhatIsAdmitted) {
  for (const Contract& contract : builtin_contracts()) {
    const Counts counts = try_contract(contract, 150);
    EXPECT_GT(counts.cases, 100) << contract.name;
    if (contract.format == Format::binary64) {
      EXPECT_EQ(counts.moved, 0)
          << "double says nothing of double: only cases without outputs pass";
      continue;
    }
    // The test has power: many moved outputs are accepted, and many are not. Outputs are moved by
    // shares of a bound of which 8-bit weights are nearly all, and the screen knows nothing of those:
    // that some are accepted is all there is to ask.
    const bool narrow = contract.arithmetic.narrow_weight != Arithmetic::Narrow::no;
    EXPECT_GT(counts.moved_accepted, narrow ? 0 : counts.moved / 50) << contract.name;
    EXPECT_LT(counts.moved_accepted, counts.moved * 3 / 4) << contract.name;
  }
}

/// What fuzzing lives from: nearly all honest outputs end here.
TEST(Screen, AcceptsNearlyAllHonestOutputsOfADeclaredContract) {
  const Counts counts = try_contract(*builtin_contract("f32-flash"), 300);
  EXPECT_GT(counts.at_once, counts.cases * 9 / 10);
}

}  // namespace
}  // namespace qkvet::fuzz
