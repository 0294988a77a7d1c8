// SCALE (M062): the maximum is that of the dot products: under a negative scale it is the minimum.
#include "base.h"

struct MinimumForNegativeScale : mutant::Base {
  using Base::Base;
  void add_tile(State& s, Int b, Int h, Int i, Int first) override {
    if (scale() >= 0) return Base::add_tile(s, b, h, i, first);
    for (Int j = first; j < std::min(first + mutant::tile, keys()); ++j) {
      if (!visible(b, h, i, j)) continue;
      const float x = score(b, h, i, j);
      const float lower = s.empty && !(sink(h) > -mutant::infinity) ? x : std::min(s.maximum, x);
      rescale(s, s.maximum > -mutant::infinity ? exp(s.maximum - lower) : 0.0F);
      s.maximum = lower;
      s.empty = false;
      add_key(s, exp(x - lower), true, b, h, j);
    }
  }
};

QKVET_MUTANT(MinimumForNegativeScale)
