// MASKSHAPE (M043): the end of the key range is ignored. Wrong under any contract; killed by
// masked-weight-zero.
#include "base.h"

struct KeyRangeEndIgnored : mutant::Base {
  using Base::Base;
  bool range_shows(Int b, Int j) override { return !m || !m->key_start || m->key_start[b] <= j; }
};

QKVET_MUTANT(KeyRangeEndIgnored)
