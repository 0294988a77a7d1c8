// ORACLE (class ORACLE): outputs are clamped to [-12, 12], as if the layer before had been
// normalised. Wrong under any contract; killed by value-linearity.
#include "base.h"

struct OutputsClamped : mutant::Base {
  using Base::Base;
  float output(const State& s, Int d) override {
    const float x = Base::output(s, d);
    return x > 12 ? 12 : x < -12 ? -12 : x;  // a NaN stays
  }
};

QKVET_MUTANT(OutputsClamped)
