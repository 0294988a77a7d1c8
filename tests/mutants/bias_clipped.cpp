// MASKSEM (class MASKSEM): finite biases are clipped to [-8, 8]. Wrong under any contract;
// killed by bias-tilt.
#include "base.h"

struct BiasClipped : mutant::Base {
  using Base::Base;
  double bias(Int b, Int h, Int i, Int j) override {
    const double x = Base::bias(b, h, i, j);
    return std::isinf(x) ? x : x > 8 ? 8 : x < -8 ? -8 : x;  // a NaN stays
  }
};

QKVET_MUTANT(BiasClipped)
