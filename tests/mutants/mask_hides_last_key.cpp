// TAIL (M020): where a boolean mask is given the loop over keys ends before the last one, unless
// a tile ends there. Wrong under any contract; killed by neutral-feature.
#include "base.h"

struct MaskHidesLastKey : mutant::Base {
  using Base::Base;
  Int keys() override { return m && m->attend && S % mutant::tile != 0 ? S - 1 : S; }
};

QKVET_MUTANT(MaskHidesLastKey)
