// ONLINE (M016, B017, B023): a hidden key has score -1e4 instead of none. Wrong under any
// contract; killed by masked-inputs-dead.
#include "base.h"

struct HiddenMinus10000 : mutant::Base {
  using Base::Base;
  float hidden_score(Int, Int, Int, Int) override { return -1e4F; }
};

QKVET_MUTANT(HiddenMinus10000)
