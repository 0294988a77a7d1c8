// GQA (M040, B090, B091): groups above 16 are read in tiles of 16 query heads, each with the key
// head of its first.
#include "base.h"

struct HeadsInTilesOfSixteen : mutant::Base {
  using Base::Base;
  Int kv_head(Int h) override {
    const Int group = H_q / H_kv;
    return (group > 16 ? h / 16 * 16 : h) / group;
  }
};

QKVET_MUTANT(HeadsInTilesOfSixteen)
