// TAIL (M020, M083): the end of a key range is rounded up to a multiple of four. Wrong under any
// contract; killed by padded-equals-unpadded.
#include "base.h"

struct KeyRangeEndRoundedUp : mutant::Base {
  using Base::Base;
  bool range_shows(Int b, Int j) override {
    if (!m || !m->key_start) return true;
    return m->key_start[b] <= j && j < (m->key_end[b] + 3) / 4 * 4;
  }
};

QKVET_MUTANT(KeyRangeEndRoundedUp)
