// LSE (class LSE): the LSE of a part is rounded to the storage format before the merge. Wrong
// under part LSEs in f32; killed by matches-reference.
#include "low.h"

struct PartLseRounded : mutant::LowParts {
  using LowParts::LowParts;
  float part_lse(const State& s) override { return low(LowParts::part_lse(s)); }
};

QKVET_LOW_MUTANT(PartLseRounded)
