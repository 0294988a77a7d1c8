#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <qkvet/check/examine.hpp>
#include <qkvet/check/meet.hpp>
#include <qkvet/num/error.hpp>

namespace qkvet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double up(double x) { return std::nextafter(x, infinity); }
double down(double x) { return std::nextafter(x, -infinity); }

bool is_zero(double x) { return x >= 0 && x <= 0; }

/// The sum of two intervals, outward; exact where the shift is [0, 0].
Interval shifted(const Interval& x, const Interval& shift) {
  if (is_zero(shift.lo) && is_zero(shift.hi)) return x;
  return {down(x.lo + shift.lo), up(x.hi + shift.hi)};
}

/// Rule 4: the exact values satisfy the relation themselves. Only places that carry an enclosure
/// speak.
void ask_oracle(const Spot& from, const Spot& to, const Interval& shift) {
  const Place& a = from.place();
  const Place& b = to.place();
  if (a.kind != PlaceKind::checked || b.kind != PlaceKind::checked) return;
  if (shifted(a.exact, shift).intersects(b.exact)) return;
  throw OracleDisagreement(fmt::format(
      "the enclosures contradict a relation: {} of run '{}' in [{:a}, {:a}], {} of run '{}' in "
      "[{:a}, {:a}]",
      name_of(from.at), from.exhibit->run->role, a.exact.lo, a.exact.hi, name_of(to.at),
      to.exhibit->run->role, b.exact.lo, b.exact.hi));
}

/// Open places are left to the candidate: if only one side is (its inputs hold a NaN, say), the
/// promise of equal bits does not reach it.
bool is_open(PlaceKind kind) { return kind == PlaceKind::exempt || kind == PlaceKind::uncheckable; }

double widest_radius(const Place& place) {
  double radius = place.radius;
  for (const Alternative& other : place.also) radius = std::max(radius, other.radius);
  return radius;
}

/// What `to` may be, given what was seen at `from`: rounded outward.
Place implied(const Spot& from, const Spot& to, const Interval& shift) {
  Place place;
  place.kind = PlaceKind::checked;
  place.exact = shifted({from.got(), from.got()}, shift);
  place.radius = up(widest_radius(from.place()) + widest_radius(to.place()));
  place.allowed = {down(place.exact.lo - place.radius), up(place.exact.hi + place.radius)};
  return place;
}

std::string because(const Spot& from) {
  return fmt::format("{} of run '{}' is {:.9g} ({:a})", name_of(from.at), from.exhibit->run->role,
                     from.got(), from.got());
}

}  // namespace

void meet(Ledger& ledger, const Spot& from, const Spot& to, const Interval& shift) {
  ask_oracle(from, to, shift);
  if (from.place().kind != PlaceKind::checked || to.place().kind != PlaceKind::checked) return;
  // Where the base of an LSE or its sink is open, its own set decides after a shift; without one
  // the widest of the radii does.
  const bool open = !from.place().also.empty() || !to.place().also.empty();
  if (open && !(is_zero(shift.lo) && is_zero(shift.hi))) return;
  const double a = from.got();
  const double b = to.got();
  // A non-finite value at a checked place is refuted by `own` of its own run, which every plan also
  // asks.
  if (!std::isfinite(a)) return ledger.reject(from, from.place(), a, from.bits(), {});
  const Place allowed = implied(from, to, shift);
  if (!(allowed.allowed.lo <= b && b <= allowed.allowed.hi)) {
    return ledger.reject(to, allowed, b, to.bits(), [&from] { return because(from); });
  }
  const double below = allowed.exact.lo - b;
  const double above = b - allowed.exact.hi;
  const double distance = below > above ? below : above;
  if (distance > 0 && allowed.radius > 0) ledger.measure(distance / allowed.radius);
}

void equal_bits(Ledger& ledger, const Spot& from, const Spot& to) {
  ask_oracle(from, to, {0, 0});
  if (is_open(from.place().kind) != is_open(to.place().kind)) return;
  const double a = from.got();
  const double b = to.got();
  if (same_bits(from.bits(), to.bits()) && !std::isnan(b)) return;
  if (is_zero(a) && is_zero(b)) return;
  if (std::isnan(a) && std::isnan(b) && from.place().contains(a) && to.place().contains(b)) return;
  Place allowed;
  allowed.kind = PlaceKind::exact;
  allowed.exact = allowed.allowed = {a, a};
  if (!std::isfinite(a)) {
    allowed.allowed = {infinity, -infinity};
    allowed.nan = std::isnan(a);
    allowed.plus_inf = a > 0;
    allowed.minus_inf = a < 0;
  }
  ledger.reject(to, allowed, b, to.bits(),
                [&from] { return "equal bits are promised; " + because(from); });
}

void relate(Ledger& ledger, bool promised, const Exhibit& from, const Exhibit& to,
            const PlaceMap& map, const Interval& lse_shift) {
  const bool shifts = !(is_zero(lse_shift.lo) && is_zero(lse_shift.hi));
  for_places(to.run->problem.shape, true, [&](const PlaceIndex& at) {
    const std::optional<PlaceIndex> source = map(at);
    if (!source) return;
    QKVET_ASSERT((source->c < 0) == (at.c < 0));
    const Spot a{&from, *source};
    const Spot b{&to, at};
    if (!a.present() || !b.present()) return;
    const bool lse = at.c < 0;
    if (promised && !(lse && shifts)) return equal_bits(ledger, a, b);
    meet(ledger, a, b, lse ? lse_shift : Interval{0, 0});
  });
}

}  // namespace qkvet
