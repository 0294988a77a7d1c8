// HDIM (M109): of more than eight channels only full groups of eight are summed. Wrong under any
// contract; killed by zero-channels.
#include "base.h"

struct ChannelsByEights : mutant::Base {
  using Base::Base;
  float dot(Int b, Int h, Int i, Int j) override {
    float sum = 0;
    const Int channels = d_k > 8 ? d_k / 8 * 8 : d_k;
    for (Int c = 0; c < channels; ++c) sum += q(b, h, i, c) * k(b, kv_head(h), j, c);
    return sum;
  }
};

QKVET_MUTANT(ChannelsByEights)
