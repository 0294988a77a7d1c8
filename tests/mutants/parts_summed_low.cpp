// PRECISION (class PRECISION): outputs of parts are summed in the storage format. Wrong under
// accumulator = f32; killed by matches-reference.
#include "low.h"

struct PartsSummedLow : mutant::LowParts {
  using LowParts::LowParts;
  float merged(float sum, float term) override { return low(sum + term); }
};

QKVET_LOW_MUTANT(PartsSummedLow)
