// SINK (M092, B216): every part of the keys adds the sink again. Wrong under any contract; killed by
// matches-reference.
#include "base.h"

struct SinkInEveryTile : mutant::Base {
  using Base::Base;
  void add_tile(State& s, Int b, Int h, Int i, Int first) override {
    Base::add_tile(s, b, h, i, first);
    if (first > 0) s.sum += exp(sink(h) - shift(s.maximum));
  }
};

QKVET_MUTANT(SinkInEveryTile)
