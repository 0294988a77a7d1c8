// PRECISION (class PRECISION): weights of f16 tensors are rounded to bf16. Wrong under weight =
// f16; killed by matches-reference.
#include "low.h"

struct WeightsInBf16 : mutant::Low {
  using Low::Low;
  float held(float weight) override { return to_bf16(weight); }
};

QKVET_F16_MUTANT(WeightsInBf16)
