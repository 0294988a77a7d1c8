// TAIL (M097, M020, B042, B136): keys that pad the last tile score 0 instead of nothing; their
// values are 0. Wrong under any contract; killed by rows-sum-to-one.
#include "base.h"

struct PadKeysScoreZero : mutant::Base {
  using Base::Base;
  void add_tile(State& s, Int b, Int h, Int i, Int first) override {
    Base::add_tile(s, b, h, i, first);
    const Int pad = first + mutant::tile - keys();
    if (pad <= 0) return;
    const float maximum = std::max(s.maximum, 0.0F);
    rescale(s, s.maximum > -mutant::infinity ? exp(s.maximum - maximum) : 0.0F);
    s.maximum = maximum;
    s.sum += static_cast<float>(pad) * exp(0 - maximum);
  }
};

QKVET_MUTANT(PadKeysScoreZero)
