// SCALE (class SCALE): a negative scale loses its sign.
#include "base.h"

struct ScaleMadePositive : mutant::Base {
  using Base::Base;
  float scale() override { return std::fabs(Base::scale()); }
};

QKVET_MUTANT(ScaleMadePositive)
