// RACE (class RACE): several threads take the tiles of keys in another order than one does. Wrong
// where threads = yes; killed by threads.
#include "base.h"

struct ThreadsChangeBits : mutant::Base {
  using Base::Base;
  void add_tile(State& s, Int b, Int h, Int i, Int first) override {
    const Int last = (keys() - 1) / mutant::tile * mutant::tile;
    Base::add_tile(s, b, h, i, a.threads > 1 ? last - first : first);
  }
};

QKVET_MUTANT_WITH(ThreadsChangeBits, "", "threads = yes\n")
