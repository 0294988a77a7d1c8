// ORACLE (M118, B262): the output is NaN.
#include "base.h"

struct OutputNan : mutant::Base {
  using Base::Base;
  float output(const State&, Int) override { return std::nanf(""); }
};

QKVET_MUTANT(OutputNan)
