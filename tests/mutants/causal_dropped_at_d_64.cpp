// TILELOOP (M025, B062): causal is ignored where tiles divide L and S exactly and d_k is 64.
#include "base.h"

struct CausalDroppedAtD64 : mutant::Base {
  using Base::Base;
  bool causal_shows(Int b, Int i, Int j) override {
    const bool fast = L % 8 == 0 && S % 8 == 0 && d_k == 64;
    return fast || Base::causal_shows(b, i, j);
  }
};

QKVET_MUTANT(CausalDroppedAtD64)
