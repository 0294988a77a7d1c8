// SCALE (M061, B154): up to eight queries are scaled before the dot product, and the score again.
#include "base.h"

struct ScaledTwiceForFewQueries : mutant::Base {
  using Base::Base;
  float q(Int b, Int h, Int i, Int c) override {
    return Base::q(b, h, i, c) * (L <= 8 ? static_cast<float>(a.scale) : 1.0F);
  }
};

QKVET_MUTANT(ScaledTwiceForFewQueries)
