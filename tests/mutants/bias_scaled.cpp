// SCALE (M059, B141): the scale multiplies the bias too. Wrong under any contract; killed by
// matches-reference.
#include "base.h"

struct BiasScaled : mutant::Base {
  using Base::Base;
  double bias(Int b, Int h, Int i, Int j) override {
    const double x = Base::bias(b, h, i, j);
    return std::isinf(x) ? x : x * a.scale;
  }
};

QKVET_MUTANT(BiasScaled)
