// TAIL (M098, B072): the tail of a query tile is stored whole: rows beyond L land in the first rows
// of the next head, which was done before. Wrong under any contract; killed by matches-reference.
#include "base.h"

struct TailRowsStored : mutant::Base {
  using Base::Base;
  void run() override {
    for (Int b = 0; b < B; ++b) {
      for (Int h = H_q; h-- > 0;) {
        head(b, h);
        const Int beyond = std::min((mutant::tile - L % mutant::tile) % mutant::tile, L);
        for (Int r = 0; h + 1 < H_q && r < beyond; ++r) {
          for (Int d = 0; d < d_v; ++d) store(b, h + 1, r, d, 0);
        }
      }
    }
  }
};

QKVET_MUTANT(TailRowsStored)
