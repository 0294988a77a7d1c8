// CAUSAL (M076): the last row of each tile of eight queries does not see its diagonal under causal.
#include "base.h"

struct DiagonalHiddenInLastRow : mutant::Base {
  using Base::Base;
  bool causal_shows(Int b, Int i, Int j) override {
    const bool hidden = m && m->causal && i % 8 == 7 && j == diagonal(b, i);
    return Base::causal_shows(b, i, j) && !hidden;
  }
};

QKVET_MUTANT(DiagonalHiddenInLastRow)
