// UNINIT (M071, B173): rows without a visible key are never stored. Wrong under any contract;
// killed by empty-row.
#include "base.h"

struct EmptyRowsUnwritten : mutant::Base {
  using Base::Base;
  void row(Int b, Int h, Int i) override {
    for (Int j = 0; j < S; ++j) {
      if (visible(b, h, i, j)) return Base::row(b, h, i);
    }
  }
};

QKVET_MUTANT(EmptyRowsUnwritten)
