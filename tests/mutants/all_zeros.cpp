// ORACLE (B256): the output is zero. Wrong under any contract; killed by matches-reference.
#include "base.h"

struct AllZeros : mutant::Base {
  using Base::Base;
  float output(const State&, Int) override { return 0; }
};

QKVET_MUTANT(AllZeros)
