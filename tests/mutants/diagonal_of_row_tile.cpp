// TILELOOP (M023, M077): full query tiles of eight rows all use the diagonal of their last row.
// Wrong under any contract; killed by chunked-equals-whole.
#include "base.h"

struct DiagonalOfRowTile : mutant::Base {
  using Base::Base;
  Int diagonal(Int b, Int i) override {
    const Int first = i - i % 8;
    return Base::diagonal(b, first + 8 <= L ? first + 7 : i);
  }
};

QKVET_MUTANT(DiagonalOfRowTile)
