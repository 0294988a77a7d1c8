// MASKSHAPE (M017, B034, B040): every batch entry reads the mask of the first. Wrong under any
// contract; killed by matches-reference.
#include "base.h"

struct MaskBatchStrideZero : mutant::Base {
  using Base::Base;
  bool attend(Int, Int h, Int i, Int j) override { return Base::attend(0, h, i, j); }
};

QKVET_MUTANT(MaskBatchStrideZero)
