// MASKSHAPE (M083, B195): every batch entry has the key range end of the longest.
#include "base.h"

struct RangeOfTheLongest : mutant::Base {
  using Base::Base;
  bool range_shows(Int b, Int j) override {
    if (!m || !m->key_start) return true;
    return m->key_start[b] <= j && j < *std::max_element(m->key_end, m->key_end + B);
  }
};

QKVET_MUTANT(RangeOfTheLongest)
