// SPLITKV (M053, B131): the last part has as many tiles as the others and begins too early: keys
// count twice.
#include "splits.h"

struct LastSplitOverlaps : mutant::Splits {
  using Splits::Splits;
  Int first_tile(Int part) override {
    const bool last = part == splits() - 1;
    return last ? std::max<Int>(0, tiles() - per_split()) : Splits::first_tile(part);
  }
  Int end_tile(Int part) override {
    return part == splits() - 1 ? tiles() : Splits::end_tile(part);
  }
};

QKVET_SPLIT_MUTANT(LastSplitOverlaps)
