// A closed interval of doubles that is known to hold a real number: what an oracle answers.
#pragma once

#include <limits>
#include <qkvet/num/strict_math.hpp>

namespace qkvet {

/// The set of reals in [lo, hi]; the ends may be infinite. Anything computed from it rounds outward.
struct Interval {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();

  [[nodiscard]] double mid() const { return lo / 2 + hi / 2; }
  [[nodiscard]] bool contains(double x) const { return lo <= x && x <= hi; }
  [[nodiscard]] bool intersects(const Interval& other) const {
    return lo <= other.hi && other.lo <= hi;
  }
  /// The largest |x| in the interval: exact.
  [[nodiscard]] double magnitude() const { return -lo > hi ? -lo : hi; }
  /// The smallest |x| in the interval: exact.
  [[nodiscard]] double mignitude() const { return lo > 0 ? lo : hi < 0 ? -hi : 0.0; }
};

}  // namespace qkvet
