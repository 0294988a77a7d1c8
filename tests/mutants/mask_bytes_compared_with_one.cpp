// MASKSEM (class MASKSEM): a byte of the boolean mask that is neither 0 nor 1 hides the key.
#include "base.h"

struct MaskBytesComparedWithOne : mutant::Base {
  using Base::Base;
  bool attend(Int b, Int h, Int i, Int j) override {
    return *mutant::at(m->attend, mutant::broadcast(m->attend, b, h, i, j)) == 1;
  }
};

QKVET_MUTANT(MaskBytesComparedWithOne)
