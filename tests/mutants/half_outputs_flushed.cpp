// PRECISION (bounds 1.4): subnormal outputs in f16 are stored as 0. Wrong under f16_flushes = no;
// killed by subnormal.
#include "low.h"

struct HalfOutputsFlushed : mutant::Low {
  using Low::Low;
  std::uint16_t stored(float x) override {
    return Low::stored(std::fabs(low(x)) < 0x1p-14F ? 0 : x);
  }
};

QKVET_F16_MUTANT(HalfOutputsFlushed)
