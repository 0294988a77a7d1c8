// SINK (class SINK): the sink is multiplied by the scale like a score. Wrong under any contract;
// killed by sink-from-lse.
#include "base.h"

struct SinkScaled : mutant::Base {
  using Base::Base;
  float sink(Int h) override {
    const float x = Base::sink(h);
    return x > -mutant::infinity ? x * scale() : x;
  }
};

QKVET_MUTANT(SinkScaled)
