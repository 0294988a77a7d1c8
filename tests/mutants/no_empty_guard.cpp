// EMPTYROW (M001, B001, B006): no guard for empty rows: (-inf) - (-inf) gives NaN. Wrong under
// empty_row = zero; killed by empty-row.
#include "base.h"

struct NoEmptyGuard : mutant::Base {
  using Base::Base;
  float shift(float maximum) override { return maximum; }
  float output(const State& s, Int d) override {
    return s.values[static_cast<std::size_t>(d)] / s.sum;
  }
};

QKVET_MUTANT(NoEmptyGuard)
