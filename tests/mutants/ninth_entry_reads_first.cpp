// INDEX (M047): the batch index of k and v keeps three bits: entry 8 reads that of entry 0.
// Wrong under any contract; killed by batch-invariance.
#include "base.h"

struct NinthEntryReadsFirst : mutant::Base {
  using Base::Base;
  float k(Int b, Int g, Int j, Int c) override { return Base::k(b & 7, g, j, c); }
  float v(Int b, Int g, Int j, Int d) override { return Base::v(b & 7, g, j, d); }
};

QKVET_MUTANT(NinthEntryReadsFirst)
