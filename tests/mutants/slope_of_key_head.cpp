// ALIBI (class ALIBI): ALiBi takes the slope of the key head. Wrong under any contract; killed
// by head-permutation.
#include "base.h"

struct SlopeOfKeyHead : mutant::Base {
  using Base::Base;
  double alibi(Int b, Int h, Int i, Int j) override { return Base::alibi(b, kv_head(h), i, j); }
};

QKVET_MUTANT(SlopeOfKeyHead)
