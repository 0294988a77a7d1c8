// ONLINE (M073): the running maximum is not reset between the rows of a head: a row after a
// larger one underflows. Wrong under any contract; killed by neighbour-independence.
#include "base.h"

struct MaximumOfRowBefore : mutant::Base {
  using Base::Base;
  float before = -mutant::infinity;
  float first_maximum() override { return before; }
  void row(Int b, Int h, Int i) override {
    if (i == 0) before = -mutant::infinity;
    Base::row(b, h, i);
  }
  float output(const State& s, Int d) override {
    if (!s.empty && d == 0) before = s.maximum > before ? s.maximum : before;
    return Base::output(s, d);
  }
};

QKVET_MUTANT(MaximumOfRowBefore)
