// SINK (M095, B218): the sink is that of the key head. Wrong under any contract; killed by
// matches-reference.
#include "base.h"

struct SinkOfKvHead : mutant::Base {
  using Base::Base;
  float sink(Int h) override { return Base::sink(kv_head(h)); }
};

QKVET_MUTANT(SinkOfKvHead)
