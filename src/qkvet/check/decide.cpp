#include <algorithm>
#include <limits>
#include <qkvet/check/decide.hpp>

namespace qkvet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// docs/properties.md, section "The first rung". Both rungs enclose the same reals, so the first
// rung's allowed set contains the kernel's honest results too: it is only wider, because its
// intervals are wider. Where an enclosure is at most `share` of its radius wide, the radius that is
// computed from those intervals is at most 1 / `inside` of the one that Arb gives (a test measures
// it), hence an error within `inside` of the first radius is within the radius that decides.
// Anything else goes to Arb. The second line is for low formats, whose outputs are often rounded by
// nearly the whole radius, about which plain double has no doubt.
struct Trust {
  double share, inside;
};
constexpr Trust trusted[] = {{0x1p-3, 0.75}, {0x1p-20, 0.999}};

/// How wide the enclosure is, in radii; infinity where the first rung decides nothing.
double share_of(const Place& place) {
  if (place.kind == PlaceKind::exact || place.kind == PlaceKind::exempt) return 0;
  const double width = place.exact.hi - place.exact.lo;
  if (place.kind != PlaceKind::checked || !(place.radius > 0)) return infinity;
  return width >= 0 ? width / place.radius : infinity;
}

double share_of(const Admissible& admissible) {
  double widest = 0;
  for (const Place& place : admissible.o) widest = std::max(widest, share_of(place));
  for (const Place& place : admissible.lse) widest = std::max(widest, share_of(place));
  return widest;
}

bool first_rung_suffices(const Judge& judge, std::span<Exhibit> exhibits, Verdict& verdict) {
  double widest = 0;
  for (Exhibit& exhibit : exhibits) {
    // Plain double says nothing about a kernel that computes in double itself.
    if (exhibit.run->problem.format == Format::binary64) return false;
    exhibit.admissible = admit(exhibit.run->problem, *exhibit.contract, Rung::first);
    widest = std::max(widest, share_of(exhibit.admissible));
    if (!(widest <= trusted[0].share)) return false;
  }
  verdict = judge(exhibits);
  const auto* pass = std::get_if<Pass>(&verdict);
  if (pass == nullptr || pass->tally.uncheckable != 0) return false;
  return std::any_of(std::begin(trusted), std::end(trusted), [&](const Trust& trust) {
    return widest <= trust.share && pass->headroom <= trust.inside;
  });
}

}  // namespace

bool well_inside_place(const Place& place, double got) {
  const double share = share_of(place);
  return place.contains(got) && std::any_of(std::begin(trusted), std::end(trusted), [&](Trust t) {
           return share <= t.share && place.ratio(got) <= t.inside;
         });
}

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
