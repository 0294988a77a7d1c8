// ONLINE (M005, B015): the running maximum starts at -2e5: rows below it vanish. Wrong under any
// contract; killed by low-and-high-scores.
#include "base.h"

struct SentinelMinus200000 : mutant::Base {
  using Base::Base;
  float first_maximum() override { return -2e5F; }
};

QKVET_MUTANT(SentinelMinus200000)
