// ONLINE (issue 3): exp without subtracting the maximum: overflow and underflow. Wrong under any
// contract; killed by score-shift.
#include "base.h"

struct NoMaxSubtraction : mutant::Base {
  using Base::Base;
  float shift(float) override { return 0; }
};

QKVET_MUTANT(NoMaxSubtraction)
