// Faults that tests plant in an oracle to see that the other one notices. Production passes none:
// every function that takes a `const Sabotage*` takes nullptr by default, and there is no global
// switch.
#pragma once

#include <cmath>
#include <cstdint>

namespace qkvet {

/// The passes of the definition, one fault each. Those of the first line are numbers, spoilt by a
/// factor 1 + 2^exponent at one place; the others are misreadings of the problem.
enum class Pass : std::uint8_t {
  dot,
  scale,
  cap,
  alibi,
  bias,
  shift,
  exp,
  sum,
  weight,
  value,
  sink,
  causal,
  window,
  range,
  attend,
  bias_place,
  heads,
};

struct Sabotage {
  Pass pass = Pass::dot;
  int exponent = -40;

  [[nodiscard]] double factor() const { return 1 + std::ldexp(1.0, exponent); }
};

/// True if this pass is to be spoilt.
[[nodiscard]] inline bool spoils(const Sabotage* sabotage, Pass pass) {
  return sabotage != nullptr && sabotage->pass == pass;
}

}  // namespace qkvet
