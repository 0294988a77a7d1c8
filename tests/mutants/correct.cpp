// The base kernel without a change: the control that every property must pass.
#include "base.h"

struct Correct : mutant::Base {
  using Base::Base;
};

QKVET_MUTANT(Correct)
