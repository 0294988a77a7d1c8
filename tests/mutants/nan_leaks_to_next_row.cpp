// NANLEAK (M073): the state of a NaN row is not reset for the next row. Wrong under any contract;
// killed by nan-stays-in-its-row.
#include "base.h"

struct NanLeaksToNextRow : mutant::Base {
  using Base::Base;
  void begin(State& s, Int h) override {
    Base::begin(s, h);
    if (std::isnan(left_over)) s.sum = left_over;
  }
  float output(const State& s, Int d) override {
    left_over = s.sum;
    return Base::output(s, d);
  }
  float left_over = 0;
};

QKVET_MUTANT(NanLeaksToNextRow)
