// ONLINE (M007): the values are rescaled, the sum is not. Wrong under any contract; killed by
// constant-values.
#include "base.h"

struct SumNotRescaled : mutant::Base {
  using Base::Base;
  void rescale(State& s, float alpha) override {
    for (float& value : s.values) value *= alpha;
  }
};

QKVET_MUTANT(SumNotRescaled)
