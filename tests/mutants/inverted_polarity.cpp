// MASKSEM (M013): true in the boolean mask hides the key. Wrong under any contract; killed by
// masked-weight-zero.
#include "base.h"

struct InvertedPolarity : mutant::Base {
  using Base::Base;
  bool attend(Int b, Int h, Int i, Int j) override { return !Base::attend(b, h, i, j); }
};

QKVET_MUTANT(InvertedPolarity)
