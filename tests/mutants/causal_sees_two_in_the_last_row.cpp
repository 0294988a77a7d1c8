// CAUSAL (M076): the last query row sees the key after the diagonal. Wrong under any contract;
// killed by causal-equals-mask.
#include "base.h"

struct CausalSeesTwoInTheLastRow : mutant::Base {
  using Base::Base;
  bool causal_shows(Int b, Int i, Int j) override {
    return Base::causal_shows(b, i + 1 == L ? i + 1 : i, j);
  }
};

QKVET_MUTANT(CausalSeesTwoInTheLastRow)
