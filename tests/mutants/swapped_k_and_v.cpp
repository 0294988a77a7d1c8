// AXIS (issue 3): K and V are swapped (where the sizes differ, channels repeat). Wrong under any
// contract; killed by matches-reference.
#include "base.h"

struct SwappedKAndV : mutant::Base {
  using Base::Base;
  float k(Int b, Int g, Int j, Int c) override { return d_v > 0 ? Base::v(b, g, j, c % d_v) : 0; }
  float v(Int b, Int g, Int j, Int d) override { return d_k > 0 ? Base::k(b, g, j, d % d_k) : 0; }
};

QKVET_MUTANT(SwappedKAndV)
