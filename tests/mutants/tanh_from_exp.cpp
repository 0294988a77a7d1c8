// SOFTCAP (bounds 6.1): a large argument of tanh goes through exp(2x): infinity over infinity.
// Wrong under any contract; killed by no-overflow.
#include "base.h"

struct TanhFromExp : mutant::Base {
  using Base::Base;
  float capped(float x) override {
    const float cap = static_cast<float>(a.softcap);
    if (!(cap > 0) || !(x / cap > 8)) return Base::capped(x);
    const float e = std::exp(2 * (x / cap));
    return cap * ((e - 1) / (e + 1));
  }
};

QKVET_MUTANT(TanhFromExp)
