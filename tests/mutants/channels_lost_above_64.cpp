// HDIM (class HDIM): of more than 64 channels those behind the last 16 are not summed.
#include "base.h"

struct ChannelsLostAbove64 : mutant::Base {
  using Base::Base;
  float dot(Int b, Int h, Int i, Int j) override {
    float sum = 0;
    const Int end = d_k > 64 ? d_k / 16 * 16 : d_k;
    for (Int c = 0; c < end; ++c) sum += q(b, h, i, c) * k(b, kv_head(h), j, c);
    return sum;
  }
};

QKVET_MUTANT(ChannelsLostAbove64)
