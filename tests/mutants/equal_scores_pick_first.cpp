// ONLINE (issue 3): of the keys that share the maximum of a row only the first counts. Wrong
// under any contract; killed by equal-scores-uniform.
#include "base.h"

struct EqualScoresPickFirst : mutant::Base {
  using Base::Base;
  void begin(State& s, Int h) override {
    Base::begin(s, h);
    top = -mutant::infinity;
  }
  void add_key(State& s, float weight, bool shown, Int b, Int h, Int j) override {
    if (!(weight < 1)) {
      if (!(s.maximum > top)) return;
      top = s.maximum;
    }
    Base::add_key(s, weight, shown, b, h, j);
  }
  float top = 0;
};

QKVET_MUTANT(EqualScoresPickFirst)
