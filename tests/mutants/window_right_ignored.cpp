// ARGIGN (class ARGIGN): the right end of a window is ignored if it is further away than the
// left one. Wrong under any contract; killed by every-argument-matters.
#include "base.h"

struct WindowRightIgnored : mutant::Base {
  using Base::Base;
  bool window_shows(Int b, Int i, Int j) override {
    if (!m || m->window_left < 0 || m->window_right <= m->window_left) {
      return Base::window_shows(b, i, j);
    }
    return diagonal(b, i) - j <= m->window_left;
  }
};

QKVET_MUTANT(WindowRightIgnored)
