// STRIDE (M032, B077, B078): V is read as if it were contiguous. Wrong under any contract; killed
// by matches-reference.
#include "base.h"

struct VStridesContiguous : mutant::Base {
  using Base::Base;
  float v(Int b, Int g, Int j, Int d) override {
    const Int end = (B - 1) * a.v->strides[0] + (H_kv - 1) * a.v->strides[1] +
                    (S - 1) * a.v->strides[2] + (d_v - 1) * a.v->strides[3];
    const Int place = ((b * H_kv + g) * S + j) * d_v + d;
    return *reinterpret_cast<const float*>(mutant::at(a.v, std::min(place, end)));
  }
};

QKVET_MUTANT(VStridesContiguous)
