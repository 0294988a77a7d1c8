// ORACLE (impostor): the output is the mean of the visible values. Wrong under any contract;
// killed by matches-reference.
#include "base.h"

struct MeanOfVisibleV : mutant::Base {
  using Base::Base;
  float score(Int, Int, Int, Int) override { return 0; }
};

QKVET_MUTANT(MeanOfVisibleV)
