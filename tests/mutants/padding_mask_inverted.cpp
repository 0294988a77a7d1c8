// MASKSEM (M013, B028): the polarity is inverted for padding masks [B,1,1,S] only.
#include "base.h"

struct PaddingMaskInverted : mutant::Base {
  using Base::Base;
  bool attend(Int b, Int h, Int i, Int j) override {
    const Int* shape = m->attend->shape;
    const bool padding = shape[0] == B && shape[1] == 1 && shape[2] == 1 && H_q > 1 && L > 1;
    return Base::attend(b, h, i, j) != padding;
  }
};

QKVET_MUTANT(PaddingMaskInverted)
