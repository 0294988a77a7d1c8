// LSE (class LSE): the LSE goes through f16 before it is stored. Wrong under any contract;
// killed by lse-weights.
#include "base.h"

struct LseInF16 : mutant::Base {
  using Base::Base;
  float lse(const State& s, Int h) override {
    return static_cast<float>(static_cast<_Float16>(Base::lse(s, h)));
  }
};

QKVET_MUTANT(LseInF16)
