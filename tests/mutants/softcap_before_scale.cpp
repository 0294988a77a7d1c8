// SOFTCAP (M056): the cap is applied before the scale. Wrong under any contract; killed by
// matches-reference.
#include "base.h"

struct SoftcapBeforeScale : mutant::Base {
  using Base::Base;
  float score(Int b, Int h, Int i, Int j) override {
    const double x = static_cast<double>(scale() * capped(dot(b, h, i, j)));
    return static_cast<float>(x + bias(b, h, i, j) + alibi(b, h, i, j));
  }
};

QKVET_MUTANT(SoftcapBeforeScale)
