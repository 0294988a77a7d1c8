// LSE (class LSE): the LSE is in base 2. Wrong under lse_base = e; killed by matches-reference.
#include "base.h"

struct LseBaseTwo : mutant::Base {
  using Base::Base;
  float lse(const State& s, Int h) override { return Base::lse(s, h) * 1.442695F; }
};

QKVET_MUTANT(LseBaseTwo)
