// TAIL (composite): where S is 1 more than a multiple of 64 and a boolean mask is given the last
// key is not visited.
#include "base.h"

struct TailKeyDroppedAt65 : mutant::Base {
  using Base::Base;
  Int keys() override { return S % 64 == 1 && m && m->attend ? S - 1 : S; }
};

QKVET_MUTANT(TailKeyDroppedAt65)
