// NANLEAK (class NANLEAK): a score of -inf is taken for 0, as nan_to_num would. Wrong where
// minus_inf = yes; killed by minus-inf-score.
#include "base.h"

struct InfiniteScoresCleared : mutant::Base {
  using Base::Base;
  float score(Int b, Int h, Int i, Int j) override {
    const float x = Base::score(b, h, i, j);
    return x <= -mutant::infinity ? 0 : x;
  }
};

QKVET_MUTANT_WITH(InfiniteScoresCleared, "", "minus_inf = yes\n")
