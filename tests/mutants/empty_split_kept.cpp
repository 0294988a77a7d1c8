// SPLITKV (M052, B016, B127): a part without tiles leaves in the workspace what an earlier row left
// there.
#include "splits.h"

struct EmptySplitKept : mutant::Splits {
  using Splits::Splits;
  void leave_out(Part& part) override { part.values.resize(static_cast<std::size_t>(d_v), 0.0F); }
};

QKVET_SPLIT_MUTANT(EmptySplitKept)
