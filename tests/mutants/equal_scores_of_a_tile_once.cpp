// ONLINE (class ONLINE): a visible key whose score equals that of an earlier one of its tile is
// skipped. Wrong under any contract; killed by duplicate-keys.
#include "base.h"

struct EqualScoresOfATileOnce : mutant::Base {
  using Base::Base;
  bool visible(Int b, Int h, Int i, Int j) override {
    if (!Base::visible(b, h, i, j)) return false;
    for (Int e = j - j % mutant::tile; e < j; ++e) {
      if (Base::visible(b, h, i, e) && !(score(b, h, i, e) < score(b, h, i, j)) &&
          !(score(b, h, i, e) > score(b, h, i, j))) {
        return false;
      }
    }
    return true;
  }
};

QKVET_MUTANT(EqualScoresOfATileOnce)
