// CAUSAL (M077, B050, B051): where the keys before the queries fill whole tiles the diagonal lies
// one key early.
#include "base.h"

struct DiagonalEarlyAfterFullTiles : mutant::Base {
  using Base::Base;
  Int diagonal(Int b, Int i) override {
    const Int offset = m ? m->diagonal_offset[b] : 0;
    const bool full = L >= 2 && offset > 0 && offset % mutant::tile == 0;
    return Base::diagonal(b, i) - (full ? 1 : 0);
  }
};

QKVET_MUTANT(DiagonalEarlyAfterFullTiles)
