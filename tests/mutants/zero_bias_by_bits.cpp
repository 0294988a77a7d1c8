// MASKSEM (class MASKSEM): a bias that stands for a boolean mask is compared with 0 by its bits: -0
// hides the key. Wrong under any contract; killed by signed-zero.
#include "base.h"

struct ZeroBiasByBits : mutant::Base {
  using Base::Base;
  bool visible(Int b, Int h, Int i, Int j) override {
    const double x = bias(b, h, i, j);
    const bool minus_zero = std::fpclassify(x) == FP_ZERO && std::signbit(x);
    return Base::visible(b, h, i, j) && !minus_zero;
  }
};

QKVET_MUTANT(ZeroBiasByBits)
