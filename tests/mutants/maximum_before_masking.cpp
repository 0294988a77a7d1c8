// ONLINE (M010): hidden scores enter the running maximum: a large one makes every weight vanish.
// Wrong under any contract; killed by masked-inputs-dead.
#include "base.h"

struct MaximumBeforeMasking : mutant::Base {
  using Base::Base;
  void add_tile(State& s, Int b, Int h, Int i, Int first) override {
    float top = s.maximum;
    for (Int j = first; j < std::min(first + mutant::tile, S); ++j) {
      top = std::max(top, score(b, h, i, j));
    }
    if (top > s.maximum && top < mutant::infinity) {
      rescale(s, exp(s.maximum - top));
      s.maximum = top;
    }
    Base::add_tile(s, b, h, i, first);
  }
};

QKVET_MUTANT(MaximumBeforeMasking)
