// WINDOW (M088, B208): the window is ignored when L = 1. Wrong under any contract; killed by
// masked-weight-zero.
#include "base.h"

struct WindowDroppedForOneQuery : mutant::Base {
  using Base::Base;
  bool window_shows(Int b, Int i, Int j) override { return L == 1 || Base::window_shows(b, i, j); }
};

QKVET_MUTANT(WindowDroppedForOneQuery)
