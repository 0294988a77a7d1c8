// TILELOOP (M025, B062): causal is ignored where the tiles divide S exactly. Wrong under any
// contract; killed by masked-weight-zero.
#include "base.h"

struct CausalDroppedWhenAligned : mutant::Base {
  using Base::Base;
  bool causal_shows(Int b, Int i, Int j) override {
    return S % mutant::tile == 0 || Base::causal_shows(b, i, j);
  }
};

QKVET_MUTANT(CausalDroppedWhenAligned)
