// EMPTYROW (M004, B014): a NaN result is replaced by 0. Wrong under visible_nan = due; killed by
// nan-stays-in-its-row.
#include "base.h"

struct NanToZero : mutant::Base {
  using Base::Base;
  float output(const State& s, Int d) override {
    const float x = Base::output(s, d);
    return std::isnan(x) ? 0 : x;
  }
};

QKVET_MUTANT(NanToZero)
