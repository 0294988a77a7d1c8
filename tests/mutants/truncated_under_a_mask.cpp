// PRECISION (M109, B108): where a boolean mask is given the operands of the scores keep 11 bits.
// Wrong under a contract whose products are f32; killed by matches-reference.
#include "base.h"

#include <cstring>

struct TruncatedUnderAMask : mutant::Base {
  using Base::Base;
  static float short_of(float x) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    bits &= ~std::uint32_t{0x1fff};  // 24 - 11 = 13 bits go
    std::memcpy(&x, &bits, sizeof x);
    return x;
  }
  float dot(Int b, Int h, Int i, Int j) override {
    if (!m || !m->attend) return Base::dot(b, h, i, j);
    float sum = 0;
    for (Int c = 0; c < d_k; ++c) {
      sum += short_of(q(b, h, i, c)) * short_of(k(b, kv_head(h), j, c));
    }
    return sum;
  }
};

QKVET_MUTANT(TruncatedUnderAMask)
