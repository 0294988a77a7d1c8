// CAUSAL (M077, B051): a single causal query does not see the key on its diagonal if more than
// eight come before it. Wrong under any contract; killed by decode-equals-prefill.
#include "base.h"

struct DecodeDropsNewestKey : mutant::Base {
  using Base::Base;
  bool causal_shows(Int b, Int i, Int j) override {
    if (L == 1 && m && m->causal && j > 8 && j == diagonal(b, i)) return false;
    return Base::causal_shows(b, i, j);
  }
};

QKVET_MUTANT(DecodeDropsNewestKey)
