#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <qkvet/check/examine.hpp>
#include <qkvet/check/free.hpp>

namespace qkvet {

void expect_enclosure(const Spot& spot, const Interval& exact, std::string_view why) {
  const Place& place = spot.place();
  if (place.kind != PlaceKind::checked || place.exact.intersects(exact)) return;
  throw OracleDisagreement(fmt::format(
      "the enclosure [{:a}, {:a}] of {} of run '{}' misses [{:a}, {:a}]: {}", place.exact.lo,
      place.exact.hi, name_of(spot.at), spot.exhibit->run->role, exact.lo, exact.hi, why));
}

void judge_free(Ledger& ledger, const Spot& spot, const Interval& exact, double radius,
                std::string_view why) {
  expect_enclosure(spot, exact, why);
  const PlaceKind kind = spot.place().kind;
  if (kind != PlaceKind::checked && kind != PlaceKind::hull) return;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Place allowed;
  allowed.kind = kind;
  allowed.exact = exact;
  allowed.radius = radius;
  allowed.allowed = {std::nextafter(exact.lo - radius, -infinity),
                     std::nextafter(exact.hi + radius, infinity)};
  if (radius >= 0 && radius <= 0) allowed.allowed = exact;  // an exact demand stays exact
  const double got = spot.got();
  if (!(allowed.allowed.lo <= got && got <= allowed.allowed.hi)) {
    return ledger.reject(spot, allowed, got, spot.bits(), [why] { return std::string(why); });
  }
  const double below = exact.lo - got;
  const double above = got - exact.hi;
  const double distance = below > above ? below : above;
  if (distance > 0 && radius > 0) ledger.measure(distance / radius);
}

}  // namespace qkvet
