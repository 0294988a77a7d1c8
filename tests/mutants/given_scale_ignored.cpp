// ARGIGN (class ARGIGN): the scale is always 1/sqrt(d_k), unless it is 0 or negative. Wrong
// under any contract; killed by orthogonal-basis.
#include "base.h"

struct GivenScaleIgnored : mutant::Base {
  using Base::Base;
  float scale() override {
    return a.scale > 0 ? 1 / std::sqrt(static_cast<float>(d_k)) : Base::scale();
  }
};

QKVET_MUTANT(GivenScaleIgnored)
