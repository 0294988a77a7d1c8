// PRECISION (class PRECISION): the sums of q.k are kept in the storage format. Wrong under dot =
// f32; killed by matches-reference.
#include "low.h"

struct DotKeptLow : mutant::Low {
  using Low::Low;
  float dot(Int b, Int h, Int i, Int j) override {
    float sum = 0;
    for (Int c = 0; c < d_k; ++c) sum = low(sum + q(b, h, i, c) * k(b, kv_head(h), j, c));
    return sum;
  }
};

QKVET_LOW_MUTANT(DotKeptLow)
