// PRECISION (class PRECISION): a bias in f32 is rounded to the storage format.
#include "low.h"

struct BiasLow : mutant::Low {
  using Low::Low;
  double bias(Int b, Int h, Int i, Int j) override {
    return static_cast<double>(low(static_cast<float>(Low::bias(b, h, i, j))));
  }
};

QKVET_LOW_MUTANT(BiasLow)
