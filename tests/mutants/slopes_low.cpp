// ALIBI (class ALIBI): ALiBi slopes are rounded to the storage format.
#include "low.h"

struct SlopesLow : mutant::Low {
  using Low::Low;
  double alibi(Int b, Int h, Int i, Int j) override {
    if (!a.alibi_slopes) return 0;
    const double slope = mutant::number(a.alibi_slopes, h * a.alibi_slopes->strides[0]);
    const double distance = std::abs(static_cast<double>(diagonal(b, i) - j));
    return -static_cast<double>(low(static_cast<float>(slope))) * distance;
  }
};

QKVET_LOW_MUTANT(SlopesLow)
