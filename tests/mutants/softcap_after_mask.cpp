// SOFTCAP (M055, B137, B139): the cap is applied after the mask: hidden keys score -cap. Wrong
// under any contract; killed by masked-weight-zero.
#include "base.h"

struct SoftcapAfterMask : mutant::Base {
  using Base::Base;
  float hidden_score(Int, Int, Int, Int) override { return capped(-mutant::infinity); }
};

QKVET_MUTANT(SoftcapAfterMask)
