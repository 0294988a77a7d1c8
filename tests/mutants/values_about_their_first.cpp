// SINK (class SINK): values are taken about the first key's, which is added back without the
// share of the sink. Wrong under any contract; killed by value-shift.
#include "base.h"

struct ValuesAboutTheirFirst : mutant::Base {
  using Base::Base;
  bool empty_row = true;
  float v(Int b, Int g, Int j, Int d) override { return Base::v(b, g, j, d) - Base::v(b, g, 0, d); }
  float output(const State& s, Int d) override {
    empty_row = s.empty;
    return Base::output(s, d);
  }
  void store(Int b, Int h, Int i, Int d, float x) override {
    Base::store(b, h, i, d, empty_row ? x : x + Base::v(b, kv_head(h), 0, d));
  }
};

QKVET_MUTANT(ValuesAboutTheirFirst)
