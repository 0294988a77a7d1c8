// ONLINE (class ONLINE): a tile behind the first that the mask hides wholly resets the sums.
#include "base.h"

struct MaskedTileResets : mutant::Base {
  using Base::Base;
  void add_tile(State& s, Int b, Int h, Int i, Int first) override {
    bool any = false;
    const Int end = std::min(first + mutant::tile, keys());
    for (Int j = first; j < end; ++j) any |= visible(b, h, i, j);
    if (!any && first > 0 && end < keys()) {
      begin(s, h);
    } else {
      Base::add_tile(s, b, h, i, first);
    }
  }
};

QKVET_MUTANT(MaskedTileResets)
