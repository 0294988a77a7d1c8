// TAIL (interfaces): a last tile of one key is not visited. Wrong under any contract; killed by
// key-value-permutation.
#include "base.h"

struct TailKeyDropped : mutant::Base {
  using Base::Base;
  Int keys() override { return S > 1 && S % mutant::tile == 1 ? S - 1 : S; }
};

QKVET_MUTANT(TailKeyDropped)
