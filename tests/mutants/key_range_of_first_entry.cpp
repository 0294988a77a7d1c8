// MASKSHAPE (M017, M043): every batch entry uses the key range of the first. Wrong under any
// contract; killed by key-range-equals-mask.
#include "base.h"

struct KeyRangeOfFirstEntry : mutant::Base {
  using Base::Base;
  bool range_shows(Int, Int j) override { return Base::range_shows(0, j); }
};

QKVET_MUTANT(KeyRangeOfFirstEntry)
