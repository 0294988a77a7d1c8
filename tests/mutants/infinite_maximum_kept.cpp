// NANLEAK (M073): a running maximum that became +inf is not reset for the next row. Wrong under any
// contract; killed by infinity-confined.
#include "base.h"

struct InfiniteMaximumKept : mutant::Base {
  using Base::Base;
  float first_maximum() override { return left_over; }
  float output(const State& s, Int d) override {
    if (std::isinf(s.maximum) && s.maximum > 0) left_over = s.maximum;
    return Base::output(s, d);
  }
  float left_over = -mutant::infinity;
};

QKVET_MUTANT(InfiniteMaximumKept)
