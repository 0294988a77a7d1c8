// INDEX (M047, B122): the index of a batch entry is held in 16 bits: entries from 65,536 on read the
// queries of the first ones. Wrong under any contract; killed by matches-reference.
#include "base.h"

struct EntryIndexIn16Bits : mutant::Base {
  using Base::Base;
  float q(Int b, Int h, Int i, Int c) override { return Base::q(b & 0xffff, h, i, c); }
  float v(Int b, Int g, Int j, Int d) override { return Base::v(b & 0xffff, g, j, d); }
};

QKVET_MUTANT(EntryIndexIn16Bits)
