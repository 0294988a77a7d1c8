// PRECISION (class PRECISION): the factor of a rescale is rounded to the storage format.
#include "low.h"

struct RescaleFactorLow : mutant::Low {
  using Low::Low;
  void rescale(State& s, float alpha) override { Low::rescale(s, low(alpha)); }
};

QKVET_LOW_MUTANT(RescaleFactorLow)
