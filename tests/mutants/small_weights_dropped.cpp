// PRECISION (class PRECISION): weights below 2^-8 are dropped from both sums, as if their format
// had no smaller ones. Wrong under any contract; killed by matches-reference.
#include "low.h"

struct SmallWeightsDropped : mutant::Low {
  using Low::Low;
  float exp(float x) override {
    const float weight = std::exp(x);
    return weight < 0x1p-8F ? 0 : weight;
  }
};

QKVET_LOW_MUTANT(SmallWeightsDropped)
