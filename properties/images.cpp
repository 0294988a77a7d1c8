#include "properties/images.hpp"

#include <fmt/format.h>

#include <cmath>
#include <qkvet/check/examine.hpp>
#include <qkvet/oracle/outward.hpp>
#include <string>

namespace qkvet {
namespace {

// ln 2 and log2 e lie between these neighbours.
constexpr Interval ln2{0x1.62e42fefa39efp-1, 0x1.62e42fefa39f0p-1};
constexpr Interval log2e{0x1.71547652b82fep+0, 0x1.71547652b82ffp+0};

void ask_oracle(const Spot& to, const Interval& truth, std::string_view why) {
  const Place& place = to.place();
  if (place.kind != PlaceKind::checked || !place.also.empty() || place.exact.intersects(truth)) {
    return;
  }
  throw OracleDisagreement(fmt::format(
      "the enclosures contradict a relation: {} of run '{}' in [{:a}, {:a}], but [{:a}, "
      "{:a}] follows: {}",
      name_of(to.at), to.exhibit->run->role, place.exact.lo, place.exact.hi, truth.lo, truth.hi,
      why));
}

}  // namespace

std::optional<Seen> seen(const Spot& spot) {
  const Place& place = spot.place();
  if (place.kind != PlaceKind::checked || !place.also.empty()) return std::nullopt;
  const double got = spot.got();
  if (!std::isfinite(got)) return std::nullopt;
  return Seen{place.exact, outward::around(got, place.radius)};
}

void meet_image(Ledger& ledger, const Spot& to, const Seen& image, std::string_view why) {
  const Place& place = to.place();
  if (place.kind != PlaceKind::checked || !place.also.empty()) return;
  ask_oracle(to, image.truth, why);
  if (!outward::is_bounded(image.near)) return;
  Place allowed;
  allowed.kind = PlaceKind::checked;
  allowed.exact = image.near;
  allowed.radius = place.radius;
  allowed.allowed = {outward::down(image.near.lo - place.radius),
                     outward::up(image.near.hi + place.radius)};
  const double got = to.got();
  if (!(allowed.allowed.lo <= got && got <= allowed.allowed.hi)) {
    return ledger.reject(to, allowed, got, to.bits(), [why] { return std::string(why); });
  }
  const double room = (image.near.hi - image.near.lo) / 2 + place.radius;
  const double distance = std::fabs(got - image.near.mid());
  if (room > 0) ledger.measure(std::fmin(distance / room, 1));
}

void equal_number(Ledger& ledger, const Spot& to, double expected, const Seen& image,
                  std::string_view why) {
  ask_oracle(to, image.truth, why);
  const double got = to.got();
  if (std::isnan(expected) || std::isnan(got)) return;
  if (got <= expected && got >= expected) return;
  Place allowed;
  allowed.kind = PlaceKind::exact;
  allowed.exact = allowed.allowed = {expected, expected};
  ledger.reject(to, allowed, got, to.bits(),
                [why] { return "equal bits are promised: " + std::string(why); });
}

std::optional<Seen> natural_lse(const Spot& spot) {
  if (!spot.present()) return std::nullopt;
  auto out = seen(spot);
  if (!out) return std::nullopt;
  switch (spot.exhibit->contract->semantics.lse_base) {
    case Semantics::LseBase::e:
      return out;
    case Semantics::LseBase::two:
      return image([](const Interval& x) { return outward::mul(x, ln2); }, *out);
    case Semantics::LseBase::exempt:
      break;
  }
  return std::nullopt;
}

Seen as_lse(const Seen& natural, const Contract& contract) {
  if (contract.semantics.lse_base != Semantics::LseBase::two) return natural;
  return image([](const Interval& x) { return outward::mul(x, log2e); }, natural);
}

}  // namespace qkvet
