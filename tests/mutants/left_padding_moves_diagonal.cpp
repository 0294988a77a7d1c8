// CAUSAL (B015, B016): the start of the key range is taken off the diagonal a second time. Wrong
// under any contract; killed by left-pad-shift.
#include "base.h"

struct LeftPaddingMovesDiagonal : mutant::Base {
  using Base::Base;
  Int diagonal(Int b, Int i) override {
    return Base::diagonal(b, i) - (m && m->key_start && m->key_end[b] == S ? m->key_start[b] : 0);
  }
};

QKVET_MUTANT(LeftPaddingMovesDiagonal)
