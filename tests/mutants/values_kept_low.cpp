// PRECISION (class PRECISION): the sums of P V are kept in the storage format. Wrong under
// accumulator = f32; killed by matches-reference.
#include "low.h"

struct ValuesKeptLow : mutant::Low {
  using Low::Low;
  void add_key(State& s, float weight, bool shown, Int b, Int h, Int j) override {
    Low::add_key(s, weight, shown, b, h, j);
    for (float& value : s.values) value = low(value);
  }
};

QKVET_LOW_MUTANT(ValuesKeptLow)
