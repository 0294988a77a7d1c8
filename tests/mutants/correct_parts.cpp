// The unmutated kernel in bf16 and f16, in parts that are merged: survives everything.
#include "low.h"

struct CorrectParts : mutant::LowParts {
  using LowParts::LowParts;
};

QKVET_LOW_MUTANT(CorrectParts)
