// SCALE (class SCALE): the scale is rounded to the storage format. Wrong under scores in f32;
// killed by matches-reference.
#include "low.h"

struct ScaleRoundedLow : mutant::Low {
  using Low::Low;
  float scale() override { return low(Low::scale()); }
};

QKVET_LOW_MUTANT(ScaleRoundedLow)
