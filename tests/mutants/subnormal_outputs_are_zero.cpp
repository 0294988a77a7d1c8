// PRECISION (bounds 1.4): subnormal outputs are stored as 0. Wrong under flushes = no; killed by
// subnormal.
#include "base.h"

struct SubnormalOutputsAreZero : mutant::Base {
  using Base::Base;
  void store(Int b, Int h, Int i, Int d, float x) override {
    Base::store(b, h, i, d, std::fabs(x) < std::numeric_limits<float>::min() ? 0 : x);
  }
};

QKVET_MUTANT(SubnormalOutputsAreZero)
