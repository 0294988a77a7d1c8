// EMPTYROW (M004, B014): the store saturates with min and max, which turn a NaN into the largest
// number. Wrong under visible_nan = due; killed by visible-nan-due.
#include "base.h"

struct SaturatingStore : mutant::Base {
  using Base::Base;
  void store(Int b, Int h, Int i, Int d, float x) override {
    constexpr float most = std::numeric_limits<float>::max();
    Base::store(b, h, i, d, std::fmax(std::fmin(x, most), -most));
  }
};

QKVET_MUTANT(SaturatingStore)
