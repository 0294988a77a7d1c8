// PRECISION (class PRECISION): negative elements of q keep 12 bits. Wrong under any contract;
// killed by negate-q-and-k.
#include "base.h"

struct NegativeQueriesShortened : mutant::Base {
  using Base::Base;
  float q(Int b, Int h, Int i, Int c) override {
    const float x = Base::q(b, h, i, c);
    return x < 0 ? std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xfffff000U) : x;
  }
};

QKVET_MUTANT(NegativeQueriesShortened)
