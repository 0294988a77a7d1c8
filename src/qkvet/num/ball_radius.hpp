// The radius of a Ball: an upper bound with a 32-bit mantissa and a 64-bit exponent, in integer
// arithmetic. A double would lose radii below 2^-1074, and inf * 0 or a flushing mode would destroy
// it.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

namespace qkvet {

/// mantissa * 2^exponent with mantissa 0 or in [2^31, 2^32); or infinite. Every operation rounds
/// up, except the two named `_lower`, which round down.
struct BallRadius {
  std::uint64_t mantissa = 0;
  std::int64_t exponent = 0;

  static constexpr std::int64_t infinite_exponent = std::numeric_limits<std::int64_t>::max();

  [[nodiscard]] static constexpr BallRadius infinity() {
    return {std::uint64_t{1} << 31, infinite_exponent};
  }
  [[nodiscard]] static constexpr BallRadius power_of_two(std::int64_t n) {
    return {std::uint64_t{1} << 31, n - 31};
  }
  [[nodiscard]] constexpr bool is_zero() const { return mantissa == 0; }
  [[nodiscard]] constexpr bool is_infinite() const { return exponent == infinite_exponent; }

  /// wide * 2^e brought to 32 bits, rounded up or down.
  [[nodiscard]] static constexpr BallRadius normalised(std::uint64_t wide, std::int64_t e,
                                                       bool upward) {
    if (wide == 0) return {};
    const int shift = static_cast<int>(std::bit_width(wide)) - 32;
    if (shift <= 0) return {wide << -shift, e + shift};
    std::uint64_t top = wide >> shift;
    if (upward && (top << shift) != wide) ++top;
    if (top >> 32 != 0) return {top >> 1, e + shift + 1};  // 2^32: exact.
    return {top, e + shift};
  }
};

[[nodiscard]] constexpr bool operator<(const BallRadius& a, const BallRadius& b) {
  if (a.is_zero() || b.is_zero()) return a.is_zero() && !b.is_zero();
  return a.exponent != b.exponent ? a.exponent < b.exponent : a.mantissa < b.mantissa;
}

[[nodiscard]] constexpr BallRadius operator+(const BallRadius& a, const BallRadius& b) {
  if (b.is_zero() || a.is_infinite()) return a;
  if (a.is_zero() || b.is_infinite()) return b;
  if (a.exponent < b.exponent) return b + a;
  const std::int64_t apart = a.exponent - b.exponent;
  if (apart >= 32) return BallRadius::normalised(a.mantissa + 1, a.exponent, true);
  return BallRadius::normalised((a.mantissa << apart) + b.mantissa, b.exponent, true);
}

[[nodiscard]] constexpr BallRadius operator*(const BallRadius& a, const BallRadius& b) {
  if (a.is_infinite() || b.is_infinite()) return BallRadius::infinity();  // 0 * infinity too.
  if (a.is_zero() || b.is_zero()) return {};
  return BallRadius::normalised(a.mantissa * b.mantissa, a.exponent + b.exponent, true);
}

/// a / b for a lower bound b of the divisor; infinite if b is 0.
[[nodiscard]] constexpr BallRadius operator/(const BallRadius& a, const BallRadius& b) {
  if (a.is_infinite() || b.is_zero()) return BallRadius::infinity();
  if (a.is_zero()) return {};
  return BallRadius::normalised((a.mantissa << 32) / b.mantissa + 1, a.exponent - b.exponent - 32,
                                true);
}

/// A lower bound of a * b for lower bounds a and b.
[[nodiscard]] constexpr BallRadius times_lower(const BallRadius& a, const BallRadius& b) {
  if (a.is_zero() || b.is_zero()) return {};
  return BallRadius::normalised(a.mantissa * b.mantissa, a.exponent + b.exponent, false);
}

/// A lower bound of a - b for a lower bound a and an upper bound b; 0 if that may be negative.
[[nodiscard]] constexpr BallRadius minus_lower(const BallRadius& a, const BallRadius& b) {
  if (b.is_zero()) return a;
  if (!(b < a)) return {};
  const std::int64_t apart = a.exponent - b.exponent;  // >= 0, since both are normalised.
  if (apart >= 32) return BallRadius::normalised(a.mantissa - 1, a.exponent, false);
  return BallRadius::normalised((a.mantissa << apart) - b.mantissa, b.exponent, false);
}

}  // namespace qkvet
