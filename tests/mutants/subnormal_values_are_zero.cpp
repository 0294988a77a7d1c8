// PRECISION (bounds 1.4): subnormal values are read as 0. Wrong under flushes = no; killed by
// subnormal.
#include "base.h"

struct SubnormalValuesAreZero : mutant::Base {
  using Base::Base;
  float v(Int b, Int g, Int j, Int d) override {
    const float x = Base::v(b, g, j, d);
    return std::fabs(x) < std::numeric_limits<float>::min() ? 0 : x;
  }
};

QKVET_MUTANT(SubnormalValuesAreZero)
