// Membership and distance of one place.  Accepts on a true comparison only.
#include <cmath>
#include <limits>
#include <qkvet/bound/admissible.hpp>
#include <qkvet/num/mag.hpp>

namespace qkvet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// |got - exact| / radius, rounded up.
double ratio_in(double got, const Interval& exact, double radius) {
  const double far =
      std::max(std::fabs(add_up(got, -exact.lo)), std::fabs(add_down(got, -exact.hi)));
  const bool at_exact = exact.lo <= got && got <= exact.hi && !(exact.lo < exact.hi);
  if (at_exact) return 0;
  return divide(Mag{detail::above(far)}, radius).value();
}

}  // namespace

bool Place::contains(double got) const {
  if (anything) return true;
  if (std::isnan(got)) return nan;
  if (std::isinf(got)) return got > 0 ? plus_inf : minus_inf;
  if (zero && std::fabs(got) <= 0) return true;
  if (allowed.contains(got)) return true;
  for (const Alternative& other : also) {
    if (other.allowed.contains(got)) return true;
  }
  return false;
}

double Place::ratio(double got) const {
  if (anything || kind == PlaceKind::exempt || kind == PlaceKind::uncheckable) {
    return contains(got) ? 0 : infinity;
  }
  if (!std::isfinite(got) || kind != PlaceKind::checked) return contains(got) ? 0 : infinity;
  if (zero && std::fabs(got) <= 0) return 0;
  double best = ratio_in(got, exact, radius);
  for (const Alternative& other : also) {
    best = std::min(best, ratio_in(got, other.exact, other.radius));
  }
  return contains(got) ? best : std::max(best, detail::above(1.0));  // outside by the hull alone
}

}  // namespace qkvet
