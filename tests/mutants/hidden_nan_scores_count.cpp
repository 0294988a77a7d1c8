// NANLEAK (M068): a hidden key whose score is NaN keeps it. Wrong under a contract that promises
// selection; killed by hidden-nonfinite.
#include "base.h"

struct HiddenNanScoresCount : mutant::Base {
  using Base::Base;
  float hidden_score(Int b, Int h, Int i, Int j) override {
    const float x = dot(b, h, i, j);
    return std::isnan(x) ? x : -mutant::infinity;
  }
};

QKVET_MUTANT(HiddenNanScoresCount)
