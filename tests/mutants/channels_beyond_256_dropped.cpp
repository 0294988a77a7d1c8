// HDIM (class HDIM): more than 256 channels are taken, and those beyond are not summed. Wrong under
// any contract; killed by reject-or-correct.
#include "base.h"

struct ChannelsBeyond256Dropped : mutant::Base {
  using Base::Base;
  float q(Int b, Int h, Int i, Int c) override { return c < 256 ? Base::q(b, h, i, c) : 0; }
};

QKVET_MUTANT(ChannelsBeyond256Dropped)
