// MASKSEM (B006): causal is ignored where a boolean mask is given as well. Wrong under any
// contract; killed by mask-intersection.
#include "base.h"

struct CausalIgnoredBesideAMask : mutant::Base {
  using Base::Base;
  bool causal_shows(Int b, Int i, Int j) override {
    return (m && m->attend) || Base::causal_shows(b, i, j);
  }
};

QKVET_MUTANT(CausalIgnoredBesideAMask)
