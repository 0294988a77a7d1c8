// PRECISION (class PRECISION): elements of k below 2^-100 are read as 0, as an absolute threshold
// does. Wrong under any contract; killed by range-limits.
#include "base.h"

struct TinyKeysDropped : mutant::Base {
  using Base::Base;
  float k(Int b, Int g, Int j, Int c) override {
    const float x = Base::k(b, g, j, c);
    return std::fabs(x) < 0x1p-100F ? 0 : x;
  }
};

QKVET_MUTANT(TinyKeysDropped)
