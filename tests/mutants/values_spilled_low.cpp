// PRECISION (class PRECISION): the sums of P V are stored in the storage format after each tile.
// Wrong under accumulator = f32; killed by matches-reference.
#include "low.h"

struct ValuesSpilledLow : mutant::Low {
  using Low::Low;
  void add_tile(State& s, Int b, Int h, Int i, Int first) override {
    Low::add_tile(s, b, h, i, first);
    for (float& value : s.values) value = low(value);
  }
};

QKVET_LOW_MUTANT(ValuesSpilledLow)
