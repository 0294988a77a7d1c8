// INDEX (M046, B121): the index of a key is held in 16 bits: keys from 32,768 on count as hidden.
#include "base.h"

struct KeyIndexIn16Bits : mutant::Base {
  using Base::Base;
  bool visible(Int b, Int h, Int i, Int j) override {
    return static_cast<std::int16_t>(j) >= 0 && Base::visible(b, h, i, j);
  }
};

QKVET_MUTANT(KeyIndexIn16Bits)
