// GQA (M040, B090): groups of three and more heads are taken for the next power of two. Wrong
// under any contract; killed by grouped-equals-repeated.
#include "base.h"

struct GroupAsPowerOfTwo : mutant::Base {
  using Base::Base;
  Int kv_head(Int h) override {
    Int group = 1;
    while (group < H_q / H_kv) group *= 2;
    return h / group;
  }
};

QKVET_MUTANT(GroupAsPowerOfTwo)
