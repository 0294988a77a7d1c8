// ONLINE (issue 3): the output is not divided by the sum of the weights. Wrong under any
// contract; killed by rows-sum-to-one.
#include "base.h"

struct NoDivision : mutant::Base {
  using Base::Base;
  float output(const State& s, Int d) override { return s.values[static_cast<std::size_t>(d)]; }
};

QKVET_MUTANT(NoDivision)
