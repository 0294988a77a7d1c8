// PRECISION (bounds 7): exp has a relative error of 1e-3 that depends on its argument. Wrong
// under f32-ieee (exp within 4 u); killed by matches-reference.
#include "base.h"

struct ExpError : mutant::Base {
  using Base::Base;
  float exp(float x) override {
    return std::exp(x) * (1 + 1e-3F * std::sin(40 * std::max(x, -99.F)));
  }
};

QKVET_MUTANT(ExpError)
