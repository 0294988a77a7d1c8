// NANLEAK (M068, B165): a hidden key is masked by adding -inf to its score. Wrong under a
// contract that promises selection; killed by masked-inputs-dead.
#include "base.h"

struct MinusInfinityAdded : mutant::Base {
  using Base::Base;
  float hidden_score(Int b, Int h, Int i, Int j) override {
    return score(b, h, i, j) - mutant::infinity;
  }
};

QKVET_MUTANT(MinusInfinityAdded)
