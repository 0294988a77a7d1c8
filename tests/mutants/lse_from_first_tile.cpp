// LSE (class LSE): the LSE is taken against the maximum of the first tile. Wrong under any
// contract; killed by split-merge.
#include "base.h"

struct LseFromFirstTile : mutant::Base {
  using Base::Base;
  float first = -mutant::infinity;
  void add_tile(State& s, Int b, Int h, Int i, Int start) override {
    Base::add_tile(s, b, h, i, start);
    if (start == 0) first = s.maximum;
  }
  float lse(const State& s, Int h) override {
    return s.empty || std::isinf(first) ? Base::lse(s, h) : first + std::log(s.sum);
  }
};

QKVET_MUTANT(LseFromFirstTile)
