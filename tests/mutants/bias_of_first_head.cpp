// MASKSHAPE (M019, B036): a bias that all batch entries share is taken to be shared by all heads
// too. Wrong under any contract; killed by mask-broadcast.
#include "base.h"

struct BiasOfFirstHead : mutant::Base {
  using Base::Base;
  double bias(Int b, Int h, Int i, Int j) override {
    return Base::bias(b, m && m->bias && m->bias->shape[0] == 1 && B > 1 ? 0 : h, i, j);
  }
};

QKVET_MUTANT(BiasOfFirstHead)
