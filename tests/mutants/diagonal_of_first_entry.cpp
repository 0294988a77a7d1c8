// MASKSHAPE (M017): every batch entry uses the diagonal of the first. Wrong under any contract;
// killed by batch-permutation.
#include "base.h"

struct DiagonalOfFirstEntry : mutant::Base {
  using Base::Base;
  Int diagonal(Int, Int i) override { return Base::diagonal(0, i); }
};

QKVET_MUTANT(DiagonalOfFirstEntry)
