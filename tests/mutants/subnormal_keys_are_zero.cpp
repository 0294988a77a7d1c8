// PRECISION (bounds 1.4): subnormal elements of k are read as 0. Wrong under flushes = no; killed
// by subnormal.
#include "base.h"

struct SubnormalKeysAreZero : mutant::Base {
  using Base::Base;
  float k(Int b, Int g, Int j, Int c) override {
    const float x = Base::k(b, g, j, c);
    return std::fabs(x) < std::numeric_limits<float>::min() ? 0 : x;
  }
};

QKVET_MUTANT(SubnormalKeysAreZero)
