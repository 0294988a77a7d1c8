// TAIL (class TAIL): queries are read in pairs: the last of an odd number is the one before it.
// Wrong under any contract; killed by query-permutation.
#include "base.h"

struct OddLastRowRepeats : mutant::Base {
  using Base::Base;
  float q(Int b, Int h, Int i, Int c) override {
    return Base::q(b, h, i > 0 && i % 2 == 0 && i + 1 == L ? i - 1 : i, c);
  }
};

QKVET_MUTANT(OddLastRowRepeats)
