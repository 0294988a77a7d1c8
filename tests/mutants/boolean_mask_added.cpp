// MASKSEM (M014, B031): the boolean mask is added to the score as 0 or 1. Wrong under any
// contract; killed by masked-weight-zero.
#include "base.h"

struct BooleanMaskAdded : mutant::Base {
  using Base::Base;
  bool attend(Int, Int, Int, Int) override { return true; }
  float score(Int b, Int h, Int i, Int j) override {
    const bool shown = !m || !m->attend || Base::attend(b, h, i, j);
    return Base::score(b, h, i, j) + (shown ? 1.0F : 0.0F);
  }
};

QKVET_MUTANT(BooleanMaskAdded)
