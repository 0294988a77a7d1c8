// ONLINE (M007): the sum is rescaled, the values are not. Wrong under any contract; killed by
// rows-sum-to-one.
#include "base.h"

struct ValuesNotRescaled : mutant::Base {
  using Base::Base;
  void rescale(State& s, float alpha) override { s.sum *= alpha; }
};

QKVET_MUTANT(ValuesNotRescaled)
