// ARGIGN (class ARGIGN): a bias that is not stored as q is ignored.
#include "low.h"

struct BiasOfOtherFormatIgnored : mutant::Low {
  using Low::Low;
  double bias(Int b, Int h, Int i, Int j) override {
    const bool other = m && m->bias && m->bias->dtype.bits != a.q->dtype.bits;
    return other ? 0 : Low::bias(b, h, i, j);
  }
};

QKVET_LOW_MUTANT(BiasOfOtherFormatIgnored)
