// WINDOW (class WINDOW): a window that reaches further to the right than to the left has its
// sides swapped. Wrong under any contract; killed by mirror.
#include "base.h"

struct WindowSidesSwapped : mutant::Base {
  using Base::Base;
  bool window_shows(Int b, Int i, Int j) override {
    if (!m || m->window_left < 0 || m->window_right <= m->window_left) {
      return Base::window_shows(b, i, j);
    }
    const Int ahead = j - diagonal(b, i);
    return -ahead <= m->window_right && ahead <= m->window_left;
  }
};

QKVET_MUTANT(WindowSidesSwapped)
