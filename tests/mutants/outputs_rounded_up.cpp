// PRECISION (class PRECISION): outputs are rounded towards +inf. Wrong under a contract that
// promises symmetric; killed by value-negation.
#include "base.h"

struct OutputsRoundedUp : mutant::Base {
  using Base::Base;
  float output(const State& s, Int d) override {
    const float x = Base::output(s, d);
    return s.empty || std::isnan(x) || std::isinf(x) ? x : std::nextafter(x, mutant::infinity);
  }
};

QKVET_MUTANT_WITH(OutputsRoundedUp, "", "symmetric = yes\n")
