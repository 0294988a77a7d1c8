// EMPTYROW (M001, B006): a row that causal and the boolean mask empty only together has no guard:
// NaN.
#include "base.h"

struct TwoMasksEmpty : mutant::Base {
  using Base::Base;
  void row(Int b, Int h, Int i) override {
    bool causal = false, mask = false;
    for (Int j = 0; j < S && m && m->causal && m->attend; ++j) {
      causal |= causal_shows(b, i, j);
      mask |= attend(b, h, i, j);
    }
    together_ = causal && mask;
    Base::row(b, h, i);
  }
  float output(const State& s, Int d) override {
    return s.empty && together_ ? std::nanf("") : Base::output(s, d);
  }

 private:
  bool together_ = false;
};

QKVET_MUTANT(TwoMasksEmpty)
