// PRECISION (class PRECISION): the columns of a value share one grid, 2^-10 of its largest
// element, as block formats do. Wrong under any contract; killed by value-columns-independent.
#include "base.h"

struct ValuesRoundedPerKey : mutant::Base {
  using Base::Base;
  float v(Int b, Int g, Int j, Int d) override {
    float most = 0;
    for (Int c = 0; c < d_v; ++c) most = std::max(most, std::fabs(Base::v(b, g, j, c)));
    const float x = Base::v(b, g, j, d);
    if (!(most > 0x1p-100F) || std::isinf(most) || std::isnan(x)) return x;
    const float step = std::exp2(std::floor(std::log2(most)) - 10);
    return std::round(x / step) * step;
  }
};

QKVET_MUTANT(ValuesRoundedPerKey)
