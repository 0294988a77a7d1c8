// ONLINE (M005, B015): the running maximum starts at -5e4: rows below it vanish. Wrong under any
// contract; killed by score-shift.
#include "base.h"

struct FiniteSentinel : mutant::Base {
  using Base::Base;
  float first_maximum() override { return -5e4F; }
};

QKVET_MUTANT(FiniteSentinel)
