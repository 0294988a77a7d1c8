// MASKSHAPE (M017): every head reads the boolean mask of the first. Wrong under any contract;
// killed by bool-equals-minus-inf.
#include "base.h"

struct MaskOfFirstHead : mutant::Base {
  using Base::Base;
  bool attend(Int b, Int, Int i, Int j) override { return Base::attend(b, 0, i, j); }
};

QKVET_MUTANT(MaskOfFirstHead)
