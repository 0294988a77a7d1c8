// PRECISION (class PRECISION): elements of q below 2^-7 are read as 0. Wrong under any contract;
// killed by scale-fold.
#include "base.h"

struct SmallQueriesDropped : mutant::Base {
  using Base::Base;
  float q(Int b, Int h, Int i, Int c) override {
    const float x = Base::q(b, h, i, c);
    return std::fabs(x) < 0x1p-7F ? 0 : x;
  }
};

QKVET_MUTANT(SmallQueriesDropped)
