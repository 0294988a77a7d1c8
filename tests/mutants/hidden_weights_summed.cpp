// ONLINE (M016, M097): a boolean mask hides values but not weights from the sums. Wrong under
// any contract; killed by leave-one-out.
#include "base.h"

struct HiddenWeightsSummed : mutant::Base {
  using Base::Base;
  float hidden_score(Int b, Int h, Int i, Int j) override {
    return m && m->attend ? score(b, h, i, j) : Base::hidden_score(b, h, i, j);
  }
  void add_key(State& s, float weight, bool shown, Int b, Int h, Int j) override {
    if (shown) return Base::add_key(s, weight, shown, b, h, j);
    s.sum += weight;
  }
};

QKVET_MUTANT(HiddenWeightsSummed)
