// ONLINE (B099): values are accumulated at 2^40 times their size, as a kernel does that moves its
// weights into the range of a narrow format: a sum that fits overflows. Wrong under any contract;
// killed by no-overflow.
#include "base.h"

struct ValuesAccumulatedHigh : mutant::Base {
  using Base::Base;
  void add_key(State& s, float weight, bool shown, Int b, Int h, Int j) override {
    s.sum += weight;
    if (!shown) return;
    for (Int d = 0; d < d_v; ++d) {
      s.values[static_cast<std::size_t>(d)] += weight * 0x1p40F * v(b, kv_head(h), j, d);
    }
  }
  float output(const State& s, Int d) override { return Base::output(s, d) * 0x1p-40F; }
};

QKVET_MUTANT(ValuesAccumulatedHigh)
