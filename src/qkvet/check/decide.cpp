#include <algorithm>
#include <limits>
#include <qkvet/check/decide.hpp>

namespace qkvet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// docs/bounds.md 8.4. Not a part of the proof, which holds for every width: where plain double is
// coarser than this, its radius may be larger than it has to be, and Arb is asked for a sharper one.
constexpr double widest_share = 0x1p-20;

double share_of(const Interval& exact, double radius) {
  const double width = exact.hi - exact.lo;
  return width >= 0 && radius > 0 ? width / radius : infinity;
}

/// How wide the enclosure is, in radii; infinity where the first rung decides nothing.
double share_of(const Place& place) {
  if (place.kind == PlaceKind::exact || place.kind == PlaceKind::exempt) return 0;
  if (place.kind != PlaceKind::checked) return infinity;
  double widest = share_of(place.exact, place.radius);
  for (const Alternative& other : place.also) {
    widest = std::max(widest, share_of(other.exact, other.radius));
  }
  return widest;
}

bool is_sharp(const Admissible& admissible) {
  const auto sharp = [](const Place& place) { return share_of(place) <= widest_share; };
  return std::all_of(admissible.o.begin(), admissible.o.end(), sharp) &&
         std::all_of(admissible.lse.begin(), admissible.lse.end(), sharp);
}

bool first_rung_suffices(const Judge& judge, std::span<Exhibit> exhibits, Verdict& verdict) {
  for (Exhibit& exhibit : exhibits) {
    // Plain double says nothing about a kernel that computes in double itself.
    if (exhibit.run->problem.format == Format::binary64) return false;
    exhibit.admissible = admit(exhibit.run->problem, *exhibit.contract, Rung::first);
    if (!is_sharp(exhibit.admissible)) return false;
  }
  verdict = judge(exhibits);
  const auto* pass = std::get_if<Pass>(&verdict);
  // The ratios are taken from the far end of each enclosure: at most 1 is a proof.
  return pass != nullptr && pass->tally.uncheckable == 0 && pass->headroom <= 1;
}

}  // namespace

bool well_inside_place(const Place& place, double got) {
  return share_of(place) <= widest_share && place.contains(got) && place.ratio(got) <= 1;
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
