// PRECISION (M011, B025): score minus maximum is rounded to the storage format before exp. Wrong
// under scores in f32; killed by matches-reference.
#include "low.h"

struct ArgumentRoundedLow : mutant::Low {
  using Low::Low;
  float exp(float x) override { return std::exp(low(x)); }
};

QKVET_LOW_MUTANT(ArgumentRoundedLow)
