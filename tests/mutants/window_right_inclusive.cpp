// WINDOW (class WINDOW): a window that is open on the left shows one key more on the right.
// Wrong under any contract; killed by window-equals-mask.
#include "base.h"

struct WindowRightInclusive : mutant::Base {
  using Base::Base;
  bool window_shows(Int b, Int i, Int j) override {
    if (!m || m->window_right < 0) return Base::window_shows(b, i, j);
    return Base::window_shows(b, i, j) || j - diagonal(b, i) == m->window_right + 1;
  }
};

QKVET_MUTANT(WindowRightInclusive)
