// SCALE (issue 3): the default scale is 1/d_k instead of 1/sqrt(d_k). Wrong under any contract;
// killed by matches-reference.
#include "base.h"

struct ScaleOneOverD : mutant::Base {
  using Base::Base;
  float scale() override {
    return (a.flags & QKVET_DEFAULT_SCALE) != 0 ? 1 / static_cast<float>(d_k) : Base::scale();
  }
};

QKVET_MUTANT(ScaleOneOverD)
