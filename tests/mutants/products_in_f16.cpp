// PRECISION (M106, B099): q.k is rounded to f16 before it is scaled: above 65504 it is infinite.
// Wrong under scores in f32; killed by matches-reference.
#include "low.h"

struct ProductsInF16 : mutant::Low {
  using Low::Low;
  float dot(Int b, Int h, Int i, Int j) override { return to_f16(Low::dot(b, h, i, j)); }
};

QKVET_LOW_MUTANT(ProductsInF16)
