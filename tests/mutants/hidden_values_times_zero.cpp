// NANLEAK (M067, B160, B161): values of hidden keys are multiplied by 0 instead of skipped. Wrong
// under a contract that promises selection; killed by masked-inputs-dead.
#include "base.h"

struct HiddenValuesTimesZero : mutant::Base {
  using Base::Base;
  void add_key(State& s, float weight, bool, Int b, Int h, Int j) override {
    Base::add_key(s, weight, true, b, h, j);
  }
};

QKVET_MUTANT(HiddenValuesTimesZero)
