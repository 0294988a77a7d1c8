// SCALE (issue 3): the scale is ignored. Wrong under any contract; killed by matches-reference.
#include "base.h"

struct NoScale : mutant::Base {
  using Base::Base;
  float scale() override { return 1; }
};

QKVET_MUTANT(NoScale)
