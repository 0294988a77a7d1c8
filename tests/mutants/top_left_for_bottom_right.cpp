// CAUSAL (M074, B045, B050): the diagonal is always at the top left. Wrong under any contract;
// killed by matches-reference.
#include "base.h"

struct TopLeftForBottomRight : mutant::Base {
  using Base::Base;
  Int diagonal(Int, Int i) override { return i; }
};

QKVET_MUTANT(TopLeftForBottomRight)
