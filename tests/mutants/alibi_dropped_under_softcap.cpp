// ALIBI (composite): ALiBi is ignored where a softcap is given.
#include "base.h"

struct AlibiDroppedUnderSoftcap : mutant::Base {
  using Base::Base;
  double alibi(Int b, Int h, Int i, Int j) override {
    return a.softcap > 0 ? 0 : Base::alibi(b, h, i, j);
  }
};

QKVET_MUTANT(AlibiDroppedUnderSoftcap)
