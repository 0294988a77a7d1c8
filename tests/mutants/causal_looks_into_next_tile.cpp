// TILELOOP (M022, M074): where the diagonal ends a tile of keys the first key of the next tile
// is seen. Wrong under any contract; killed by future-key-dead.
#include "base.h"

struct CausalLooksIntoNextTile : mutant::Base {
  using Base::Base;
  bool causal_shows(Int b, Int i, Int j) override {
    return Base::causal_shows(b, i, j) || (j % mutant::tile == 0 && j == diagonal(b, i) + 1);
  }
};

QKVET_MUTANT(CausalLooksIntoNextTile)
