// Small problems that are hard to round: one recipe for each way in which double, or any finite
// precision, can be left in doubt.
#pragma once

#include <cstdint>
#include <qkvet/problem/problem.hpp>
#include <string_view>

namespace qkvet::test {

enum class Stratum : std::uint8_t {
  gauss,        // nothing special: most outputs are decided at once
  equal,        // equal scores, small integers in V: means on ties and at exact numbers
  groups,       // groups of equal scores whose means agree: exact whatever the scores are
  cancelling,   // V = +-large in pairs: outputs near 0
  dominated,    // one key has nearly all weight
  saturated,    // softcap far beyond its range: scores that differ in the last of many bits
  subnormal,    // outputs at the bottom of the format
  features,     // bias, ALiBi, masks, sinks
  wide,         // exponents over the whole range of the format
  halves,       // V between neighbours of the format: nearly ties
};
inline constexpr int strata = 10;

[[nodiscard]] std::string_view name(Stratum stratum);

/// Valid; the same for the same arguments on every machine.
[[nodiscard]] Problem hostile_problem(Stratum stratum, Format format, std::uint64_t seed);

}  // namespace qkvet::test
