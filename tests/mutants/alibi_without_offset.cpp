// ALIBI (class ALIBI): ALiBi counts distances from the top left diagonal, whatever the offset.
// Wrong under any contract; killed by alibi-equals-bias.
#include "base.h"

struct AlibiWithoutOffset : mutant::Base {
  using Base::Base;
  double alibi(Int b, Int h, Int i, Int j) override {
    return Base::alibi(b, h, i - (m ? m->diagonal_offset[b] : 0), j);
  }
};

QKVET_MUTANT(AlibiWithoutOffset)
