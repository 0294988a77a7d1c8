// INDEX (M044, B115): the offset of a value is kept in 31 bits, so that strides beyond wrap to the front.
// Wrong under any contract; killed by matches-reference.
#include "base.h"

struct OffsetsIn31Bits : mutant::Base {
  using Base::Base;
  float v(Int b, Int g, Int j, Int d) override {
    const Int* s = a.v->strides;
    const Int offset = b * s[0] + g * s[1] + j * s[2] + d * s[3];
    const Int kept = offset < 0 ? offset : offset & 0x7fffffff;
    return *reinterpret_cast<const float*>(mutant::at(a.v, kept));
  }
};

QKVET_MUTANT(OffsetsIn31Bits)
