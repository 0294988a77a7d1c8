// The unmutated kernel in f32, in as many parts as the call asks for: survives everything.
#include "splits.h"

struct CorrectSplits : mutant::Splits {
  using Splits::Splits;
};

QKVET_SPLIT_MUTANT(CorrectSplits)
