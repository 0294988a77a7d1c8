// CAUSAL (M076): causal shows the key after the diagonal. Wrong under any contract; killed by
// masked-weight-zero.
#include "base.h"

struct CausalOffByOne : mutant::Base {
  using Base::Base;
  bool causal_shows(Int b, Int i, Int j) override { return Base::causal_shows(b, i + 1, j); }
};

QKVET_MUTANT(CausalOffByOne)
