// STRIDE (class STRIDE): a bias that is not broadcast is read as if it were contiguous. Wrong
// under any contract; killed by layout.
#include "base.h"

struct BiasStridesContiguous : mutant::Base {
  using Base::Base;
  double bias(Int b, Int h, Int i, Int j) override {
    if (!m || !m->bias) return 0;
    const Int* e = m->bias->shape;
    if (e[0] != B || e[1] != H_q || e[2] != L || e[3] != S) return Base::bias(b, h, i, j);
    return mutant::number(m->bias, ((b * H_q + h) * L + i) * S + j);
  }
};

QKVET_MUTANT(BiasStridesContiguous)
