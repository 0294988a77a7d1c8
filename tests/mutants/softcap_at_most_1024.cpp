// SOFTCAP (class SOFTCAP): a softcap above 1024 is taken for 1024. Wrong under any contract;
// killed by softcap-limits.
#include "base.h"

struct SoftcapAtMost1024 : mutant::Base {
  using Base::Base;
  float capped(float x) override {
    const float cap = std::min(static_cast<float>(a.softcap), 1024.0F);
    return cap > 0 ? cap * std::tanh(x / cap) : x;
  }
};

QKVET_MUTANT(SoftcapAtMost1024)
