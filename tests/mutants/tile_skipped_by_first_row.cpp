// TILELOOP (M023, B058): a key tile is skipped if the first row of the query tile sees none of it,
// though later rows do. Wrong under any contract; killed by matches-reference.
#include "base.h"

struct TileSkippedByFirstRow : mutant::Base {
  using Base::Base;
  void add_tile(State& s, Int b, Int h, Int i, Int first) override {
    const Int first_row = i - i % 12;  // query tiles of 12 rows, key tiles of 8
    bool seen = false;
    for (Int j = first; j < std::min(first + mutant::tile, keys()); ++j) {
      seen = seen || visible(b, h, first_row, j);
    }
    if (seen) Base::add_tile(s, b, h, i, first);
  }
};

QKVET_MUTANT(TileSkippedByFirstRow)
