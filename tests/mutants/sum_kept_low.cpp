// PRECISION (M107, B104, B105, B106): the sum of the weights is kept in the storage format. It
// stops to grow where a weight is below half a unit. Wrong under accumulator = f32; killed by
// rows-sum-to-one.
#include "low.h"

struct SumKeptLow : mutant::Low {
  using Low::Low;
  void add_key(State& s, float weight, bool shown, Int b, Int h, Int j) override {
    Low::add_key(s, weight, shown, b, h, j);
    s.sum = low(s.sum);
  }
};

QKVET_LOW_MUTANT(SumKeptLow)
