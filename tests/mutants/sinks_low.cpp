// SINK (class SINK): sinks are rounded to the storage format.
#include "low.h"

struct SinksLow : mutant::Low {
  using Low::Low;
  float sink(Int h) override { return low(Low::sink(h)); }
};

QKVET_LOW_MUTANT(SinksLow)
