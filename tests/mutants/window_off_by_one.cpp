// WINDOW (M085, B200, B202): the window shows one key more on the left. Wrong under any contract;
// killed by masked-weight-zero.
#include "base.h"

struct WindowOffByOne : mutant::Base {
  using Base::Base;
  bool window_shows(Int b, Int i, Int j) override {
    return Base::window_shows(b, i, j) || Base::window_shows(b, i, j + 1);
  }
};

QKVET_MUTANT(WindowOffByOne)
