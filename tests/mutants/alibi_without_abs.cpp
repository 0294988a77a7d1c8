// ALIBI (M091): the ALiBi distance has no absolute value. Wrong under any contract; killed by
// matches-reference.
#include "base.h"

struct AlibiWithoutAbs : mutant::Base {
  using Base::Base;
  double alibi(Int b, Int h, Int i, Int j) override {
    return j > diagonal(b, i) ? -Base::alibi(b, h, i, j) : Base::alibi(b, h, i, j);
  }
};

QKVET_MUTANT(AlibiWithoutAbs)
