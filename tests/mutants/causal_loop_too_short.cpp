// TILELOOP (M022, B057): with query tiles of 16 rows and key tiles of 8, the causal loop counts key
// tiles by query tiles and ends before the diagonal. Wrong under any contract; killed by
// matches-reference.
#include "base.h"

struct CausalLoopTooShort : mutant::Base {
  using Base::Base;
  void add_tile(State& s, Int b, Int h, Int i, Int first) override {
    const Int query_tile = 2 * mutant::tile;
    const Int last = (diagonal(b, i - i % query_tile) / query_tile + 1) * mutant::tile;
    if (m && m->causal && first >= last) return;
    Base::add_tile(s, b, h, i, first);
  }
};

QKVET_MUTANT(CausalLoopTooShort)
