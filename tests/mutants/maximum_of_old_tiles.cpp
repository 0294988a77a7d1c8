// ONLINE (M008): the weights of a tile are taken against the maximum before it. Wrong under any
// contract; killed by matches-reference.
#include "base.h"

struct MaximumOfOldTiles : mutant::Base {
  using Base::Base;
  void add_tile(State& s, Int b, Int h, Int i, Int first) override {
    before = s.maximum;
    Base::add_tile(s, b, h, i, first);
  }
  void add_key(State& s, float weight, bool shown, Int b, Int h, Int j) override {
    if (before > -mutant::infinity) weight *= std::exp(s.maximum - before);
    Base::add_key(s, weight, shown, b, h, j);
  }
  float before = 0;
};

QKVET_MUTANT(MaximumOfOldTiles)
