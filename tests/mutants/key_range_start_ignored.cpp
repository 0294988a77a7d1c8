// ARGIGN (M043, B250): the start of the key range is ignored: left padding counts. Wrong under any
// contract; killed by masked-weight-zero.
#include "base.h"

struct KeyRangeStartIgnored : mutant::Base {
  using Base::Base;
  bool range_shows(Int b, Int j) override { return !m || !m->key_end || j < m->key_end[b]; }
};

QKVET_MUTANT(KeyRangeStartIgnored)
