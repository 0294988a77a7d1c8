// ONLINE (bounds 7): the sum of the weights is rounded down to a power of two. Wrong under any
// contract; killed by convex-hull.
#include "base.h"

struct SumToPowerOfTwo : mutant::Base {
  using Base::Base;
  float output(const State& s, Int d) override {
    State rounded = s;
    if (s.sum > 0 && s.sum < mutant::infinity)
      rounded.sum = std::exp2(std::floor(std::log2(s.sum)));
    return Base::output(rounded, d);
  }
};

QKVET_MUTANT(SumToPowerOfTwo)
