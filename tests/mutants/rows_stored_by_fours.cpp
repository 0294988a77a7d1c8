// TAIL (M100, B044): where rows of the output lie far enough apart, they are stored in vectors of
// four, into the gap behind them. Wrong under any contract; killed by memory-kept.
#include "base.h"

struct RowsStoredByFours : mutant::Base {
  using Base::Base;
  void store(Int b, Int h, Int i, Int d, float x) override {
    Base::store(b, h, i, d, x);
    const Int* s = a.o->strides;
    const Int whole = (d_v + 3) / 4 * 4;
    if (d + 1 < d_v || s[3] != 1 || s[2] < whole || i + 1 == L) return;
    for (Int beyond = d_v; beyond < whole; ++beyond) Base::store(b, h, i, beyond, 0);
  }
};

QKVET_MUTANT(RowsStoredByFours)
