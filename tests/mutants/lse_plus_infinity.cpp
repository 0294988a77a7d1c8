// LSE (M049, B126): the LSE of an empty row is +inf. Wrong under empty_lse = minus_inf; killed by
// empty-row.
#include "base.h"

struct LsePlusInfinity : mutant::Base {
  using Base::Base;
  float lse(const State& s, Int h) override { return s.empty ? -Base::lse(s, h) : Base::lse(s, h); }
};

QKVET_MUTANT(LsePlusInfinity)
