// SINK (B218): the sink is ignored. Wrong under any contract; killed by matches-reference.
#include "base.h"

struct SinkIgnored : mutant::Base {
  using Base::Base;
  float sink(Int) override { return -mutant::infinity; }
};

QKVET_MUTANT(SinkIgnored)
