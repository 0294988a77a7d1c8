// ALIBI (M089, B210): the slopes that were given are ignored and made up as 2^(-8 (h + 1) / H),
// which is the rule for powers of two only. Wrong under any contract; killed by matches-reference.
#include "base.h"

struct AlibiSlopesRecomputed : mutant::Base {
  using Base::Base;
  double alibi(Int b, Int h, Int i, Int j) override {
    if (!a.alibi_slopes) return 0;
    const double slope = std::exp2(-8.0 * static_cast<double>(h + 1) / static_cast<double>(H_q));
    return -slope * std::abs(static_cast<double>(diagonal(b, i) - j));
  }
};

QKVET_MUTANT(AlibiSlopesRecomputed)
