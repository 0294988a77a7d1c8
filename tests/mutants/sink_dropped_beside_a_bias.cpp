// SINK (composite): the sink is ignored where a bias is given and keys do not fill a tile. Wrong
// under any contract; killed by sink-equals-key.
#include "base.h"

struct SinkDroppedBesideABias : mutant::Base {
  using Base::Base;
  float sink(Int h) override {
    return m && m->bias && S % mutant::tile != 0 ? -mutant::infinity : Base::sink(h);
  }
};

QKVET_MUTANT(SinkDroppedBesideABias)
