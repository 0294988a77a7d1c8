// STRIDE (M035): O is written as if it were contiguous. Wrong under any contract; killed by
// matches-reference.
#include "base.h"

struct OStridesContiguous : mutant::Base {
  using Base::Base;
  void store(Int b, Int h, Int i, Int d, float x) override {
    const Int place = ((b * H_q + h) * L + i) * d_v + d;
    *(reinterpret_cast<float*>(static_cast<char*>(a.o->data) + a.o->byte_offset) + place) = x;
  }
};

QKVET_MUTANT(OStridesContiguous)
