// WINDOW (M086, B206): the first row of each tile of four queries sees the whole key tile at the
// left end of its window.
#include "base.h"

struct WindowBorderTileOpen : mutant::Base {
  using Base::Base;
  bool window_shows(Int b, Int i, Int j) override {
    if (!m || m->window_left < 0 || i % 4 != 0) return Base::window_shows(b, i, j);
    const Int first =
        std::max<Int>(0, diagonal(b, i) - m->window_left) / mutant::tile * mutant::tile;
    const bool right = m->window_right < 0 || j - diagonal(b, i) <= m->window_right;
    return j >= first && right;
  }
};

QKVET_MUTANT(WindowBorderTileOpen)
