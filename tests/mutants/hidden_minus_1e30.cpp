// EMPTYROW (M002, B008, B009): hidden keys score -1e30 and nothing guards an empty row: it
// becomes uniform. Wrong under empty_row = zero; killed by empty-row.
#include "base.h"

struct HiddenMinus1e30 : mutant::Base {
  using Base::Base;
  float hidden_score(Int, Int, Int, Int) override { return -1e30F; }
  float output(const State& s, Int d) override {
    return s.sum > 0 ? s.values[static_cast<std::size_t>(d)] / s.sum : 0;
  }
};

QKVET_MUTANT(HiddenMinus1e30)
