// EMPTYROW (M004, B014): a NaN score counts as a hidden key. Wrong under visible_nan = due; killed
// by visible-nan-due.
#include "base.h"

struct NanScoreHidden : mutant::Base {
  using Base::Base;
  float score(Int b, Int h, Int i, Int j) override {
    const float s = Base::score(b, h, i, j);
    return std::isnan(s) ? -mutant::infinity : s;
  }
};

QKVET_MUTANT(NanScoreHidden)
