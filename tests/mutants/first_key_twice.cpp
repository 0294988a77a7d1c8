// AXIS (issue 3): the first key counts twice. Wrong under any contract; killed by
// key-value-permutation.
#include "base.h"

struct FirstKeyTwice : mutant::Base {
  using Base::Base;
  void add_key(State& s, float weight, bool shown, Int b, Int h, Int j) override {
    Base::add_key(s, j == 0 ? 2 * weight : weight, shown, b, h, j);
  }
};

QKVET_MUTANT(FirstKeyTwice)
