// PRECISION (class PRECISION): values below 2^-12 are read as 0, as cleaning up of rounding
// noise does. Wrong under any contract; killed by value-power-of-two.
#include "base.h"

struct TinyValuesDropped : mutant::Base {
  using Base::Base;
  float v(Int b, Int g, Int j, Int d) override {
    const float x = Base::v(b, g, j, d);
    return std::fabs(x) < 0x1p-12F ? 0 : x;
  }
};

QKVET_MUTANT(TinyValuesDropped)
