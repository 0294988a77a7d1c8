// SOFTCAP (B138): the cap is applied to score plus bias. Wrong where cap_order = cap_then_bias;
// killed by matches-reference.
#include "base.h"

struct CapAfterBias : mutant::Base {
  using Base::Base;
  float score(Int b, Int h, Int i, Int j) override {
    const double x = static_cast<double>(scale() * dot(b, h, i, j));
    return capped(static_cast<float>(x + (bias(b, h, i, j) + alibi(b, h, i, j))));
  }
};

QKVET_MUTANT(CapAfterBias)
