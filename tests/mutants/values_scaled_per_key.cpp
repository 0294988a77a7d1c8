// NANLEAK (class NANLEAK): the columns of a value share one power of two, that of its largest
// element, as block formats do: an infinity in one column makes the others NaN. Wrong under any
// contract; killed by infinity-confined.
#include "base.h"

struct ValuesScaledPerKey : mutant::Base {
  using Base::Base;
  float v(Int b, Int g, Int j, Int d) override {
    float most = 0;
    for (Int c = 0; c < d_v; ++c) most = std::max(most, std::fabs(Base::v(b, g, j, c)));
    const float x = Base::v(b, g, j, d);
    return std::isinf(most) ? x / most * most : x;  // otherwise exact
  }
};

QKVET_MUTANT(ValuesScaledPerKey)
