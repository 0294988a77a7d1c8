#include <qkvet/check/decide.hpp>

namespace qkvet {
namespace {

// docs/properties.md, section "The first rung". Both rungs enclose the same reals, so the first
// rung's allowed set contains the kernel's honest results too: it is only wider, because its
// intervals are wider. Where an enclosure is at most radius/8 wide, the radius that is computed
// from those intervals is at most 4/3 of the one that Arb gives (a test measures it), hence an
// error within 3/4 of the first radius is within the radius that decides. Anything else goes to
// Arb.
constexpr double well_inside = 0.75;
constexpr double narrow_share = 0.125;

bool narrow(const Place& place) {
  if (place.kind == PlaceKind::exact || place.kind == PlaceKind::exempt) return true;
  if (place.kind != PlaceKind::checked) return false;
  return place.exact.hi - place.exact.lo <= narrow_share * place.radius;
}

bool narrow(const Admissible& admissible) {
  for (const Place& place : admissible.o) {
    if (!narrow(place)) return false;
  }
  for (const Place& place : admissible.lse) {
    if (!narrow(place)) return false;
  }
  return true;
}

bool first_rung_suffices(const Judge& judge, std::span<Exhibit> exhibits, Verdict& verdict) {
  for (Exhibit& exhibit : exhibits) {
    // Plain double says nothing about a kernel that computes in double itself.
    if (exhibit.run->problem.format == Format::binary64) return false;
    exhibit.admissible = admit(exhibit.run->problem, *exhibit.contract, Rung::first);
    if (!narrow(exhibit.admissible)) return false;
  }
  verdict = judge(exhibits);
  const auto* pass = std::get_if<Pass>(&verdict);
  return pass != nullptr && pass->headroom <= well_inside && pass->tally.uncheckable == 0;
}

}  // namespace

void admit_all(std::span<Exhibit> exhibits, Rung rung) {
  for (Exhibit& exhibit : exhibits) {
    exhibit.admissible = admit(exhibit.run->problem, *exhibit.contract, rung);
  }
}

Verdict decide(const Judge& judge, std::span<Exhibit> exhibits) {
  Verdict verdict;
  if (first_rung_suffices(judge, exhibits, verdict)) return verdict;
  admit_all(exhibits, Rung::arb);
  return judge(exhibits);
}

}  // namespace qkvet
