// SPLITKV (class SPLITKV): parts are merged by their LSEs, so that other numbers of parts give other
// bits. Wrong where splits = yes; killed by num-splits.
#include "splits.h"

struct SplitsChangeBits : mutant::Splits {
  using Splits::Splits;
};

QKVET_MUTANT_WITH(SplitsChangeBits, "merge = lse\n", "splits = yes\n")
