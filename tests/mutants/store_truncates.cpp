// PRECISION (class PRECISION): the last rounding cuts digits off. Wrong under truncates = no;
// killed by matches-reference.
#include "low.h"

struct StoreTruncates : mutant::Low {
  using Low::Low;
  std::uint16_t stored(float x) override {
    const std::uint16_t bits = Low::stored(x);
    const float rounded = low(x);
    const bool away = std::isfinite(rounded) && std::fabs(rounded) > std::fabs(x);
    return static_cast<std::uint16_t>(away ? bits - 1 : bits);
  }
};

QKVET_LOW_MUTANT(StoreTruncates)
