// The unmutated kernel in bf16 and f16: survives everything.
#include "low.h"

struct CorrectLow : mutant::Low {
  using Low::Low;
};

QKVET_LOW_MUTANT(CorrectLow)
