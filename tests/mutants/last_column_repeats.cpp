// HDIM (M104): an odd last column of V is read from the column before it. Wrong under any
// contract; killed by value-column-permutation.
#include "base.h"

struct LastColumnRepeats : mutant::Base {
  using Base::Base;
  float v(Int b, Int g, Int j, Int d) override {
    return Base::v(b, g, j, d > 0 && d % 2 == 0 && d == d_v - 1 ? d - 1 : d);
  }
};

QKVET_MUTANT(LastColumnRepeats)
