// ONLINE (class ONLINE): scores are ordered by their encodings as integers, negative ones reversed
// by a test for x < 0: -0 does not pass it and falls below -inf, so that its key counts as hidden.
// Wrong under any contract; killed by signed-zero.
#include <cstring>

#include "base.h"

struct MaximumByIntegers : mutant::Base {
  using Base::Base;
  // A sum that starts with its first product: -0 stays -0.
  float score(Int b, Int h, Int i, Int j) override {
    if (a.alibi_slopes || (m && m->bias) || d_k == 0) return Base::score(b, h, i, j);
    float sum = q(b, h, i, 0) * k(b, kv_head(h), j, 0);
    for (Int c = 1; c < d_k; ++c) sum += q(b, h, i, c) * k(b, kv_head(h), j, c);
    const float s = capped(scale() * sum);
    std::int32_t bits;
    std::memcpy(&bits, &s, sizeof bits);
    return s >= 0 && bits < 0 ? -mutant::infinity : s;
  }
};

QKVET_MUTANT(MaximumByIntegers)
