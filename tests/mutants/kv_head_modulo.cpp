// GQA (M038, B092): query head h reads key head h mod H_kv. Wrong under any contract; killed by
// matches-reference.
#include "base.h"

struct KvHeadModulo : mutant::Base {
  using Base::Base;
  Int kv_head(Int h) override { return h % H_kv; }
};

QKVET_MUTANT(KvHeadModulo)
