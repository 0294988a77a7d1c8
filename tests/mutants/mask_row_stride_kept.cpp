// MASKSHAPE (M019, B036): a mask with one row for all queries is read as if it had a row each; what
// it reads there is the row of the next head (inside the mask: the read itself is no fault). Wrong
// under any contract; killed by matches-reference.
#include "base.h"

struct MaskRowStrideKept : mutant::Base {
  using Base::Base;
  bool attend(Int b, Int h, Int i, Int j) override {
    const bool one_row = m->attend->shape[2] == 1 && m->attend->shape[1] == H_q;
    return one_row ? Base::attend(b, (h + i) % H_q, 0, j) : Base::attend(b, h, i, j);
  }
};

QKVET_MUTANT(MaskRowStrideKept)
