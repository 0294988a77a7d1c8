// ONLINE (M007, B021): where the maximum grows by less than 0.02 the sum is rescaled and the values
// are not.
#include "base.h"

struct SmallRescalesSkipValues : mutant::Base {
  using Base::Base;
  void rescale(State& s, float alpha) override {
    if (alpha > 0.98F) {
      s.sum *= alpha;
    } else {
      Base::rescale(s, alpha);
    }
  }
};

QKVET_MUTANT(SmallRescalesSkipValues)
