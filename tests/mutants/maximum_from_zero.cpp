// ONLINE (M005): the running maximum starts at 0: rows whose scores all lie below -103 vanish.
// Wrong under any contract; killed by score-shift.
#include "base.h"

struct MaximumFromZero : mutant::Base {
  using Base::Base;
  float first_maximum() override { return 0; }
};

QKVET_MUTANT(MaximumFromZero)
