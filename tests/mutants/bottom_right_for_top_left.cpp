// CAUSAL (B045, B047): the diagonal always ends in the bottom right corner. Wrong under any
// contract; killed by matches-reference.
#include "base.h"

struct BottomRightForTopLeft : mutant::Base {
  using Base::Base;
  Int diagonal(Int, Int i) override { return i + S - L; }
};

QKVET_MUTANT(BottomRightForTopLeft)
