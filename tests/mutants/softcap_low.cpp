// SOFTCAP (class SOFTCAP): the softcap is rounded to the storage format.
#include "low.h"

struct SoftcapLow : mutant::Low {
  using Low::Low;
  float capped(float x) override {
    const float cap = low(static_cast<float>(a.softcap));
    return cap > 0 ? cap * std::tanh(x / cap) : x;
  }
};

QKVET_LOW_MUTANT(SoftcapLow)
