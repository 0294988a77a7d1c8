// LSE (class LSE): parts that are normalised are merged by their maxima: the sums of weights are
// left out. Wrong under any contract; killed by matches-reference.
#include "low.h"

struct PartsMergedByMaximum : mutant::LowParts {
  using LowParts::LowParts;
  float part_lse(const State& s) override { return shift(s.maximum); }
};

QKVET_LOW_MUTANT(PartsMergedByMaximum)
