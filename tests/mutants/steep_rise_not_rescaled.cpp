// ONLINE (M007): where the maximum rises so far that the factor is 0 nothing is rescaled. Wrong
// under any contract; killed by dominant-key.
#include "base.h"

struct SteepRiseNotRescaled : mutant::Base {
  using Base::Base;
  void rescale(State& s, float alpha) override {
    if (!(alpha <= 0)) Base::rescale(s, alpha);
  }
};

QKVET_MUTANT(SteepRiseNotRescaled)
