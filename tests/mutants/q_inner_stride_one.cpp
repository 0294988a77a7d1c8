// STRIDE (M034, B079): the innermost stride of q is taken for 1. Wrong under any contract; killed
// by matches-reference.
#include "base.h"

struct QInnerStrideOne : mutant::Base {
  using Base::Base;
  float q(Int b, Int h, Int i, Int c) override {
    const Int* s = a.q->strides;
    const Int inner = s[3] > 1 ? 1 : s[3];
    return *reinterpret_cast<const float*>(
        mutant::at(a.q, b * s[0] + h * s[1] + i * s[2] + c * inner));
  }
};

QKVET_MUTANT(QInnerStrideOne)
