// WINDOW (M085, M086): a window on the left starts at the border of its tile of four keys,
// unless that is the first. Wrong under any contract; killed by out-of-window-dead.
#include "base.h"

struct WindowStartsAtTile : mutant::Base {
  using Base::Base;
  bool window_shows(Int b, Int i, Int j) override {
    if (!m || m->window_left < 0) return Base::window_shows(b, i, j);
    const Int first = diagonal(b, i) - m->window_left;
    const Int start = first > 4 ? first / 4 * 4 : first;
    const Int ahead = j - diagonal(b, i);
    return j >= start && (m->window_right < 0 || ahead <= m->window_right);
  }
};

QKVET_MUTANT(WindowStartsAtTile)
