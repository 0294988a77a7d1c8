// UNINIT (M071, B173): an output of 0 is not stored, since memory is taken for zeroed. Wrong under
// any contract; killed by outputs-written.
#include "base.h"

struct ZerosNotStored : mutant::Base {
  using Base::Base;
  void store(Int b, Int h, Int i, Int d, float x) override {
    if (!(x >= 0 && x <= 0)) Base::store(b, h, i, d, x);
  }
};

QKVET_MUTANT(ZerosNotStored)
