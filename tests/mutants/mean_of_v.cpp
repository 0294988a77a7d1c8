// ORACLE (impostor): the output is the mean of all values. Wrong under any contract; killed by
// matches-reference.
#include "base.h"

struct MeanOfV : mutant::Base {
  using Base::Base;
  bool visible(Int, Int, Int, Int) override { return true; }
  float score(Int, Int, Int, Int) override { return 0; }
};

QKVET_MUTANT(MeanOfV)
