// ORACLE (M115, B256): the first element of q is set to 0 after use.
#include "base.h"

struct InputsZeroed : mutant::Base {
  using Base::Base;
  void run() override {
    Base::run();
    if (B * H_q * L * d_k == 0) return;
    const_cast<float&>(*reinterpret_cast<const float*>(mutant::at(a.q, 0))) = 0;
  }
};

QKVET_MUTANT(InputsZeroed)
