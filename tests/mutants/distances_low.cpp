// ALIBI (class ALIBI): ALiBi distances are rounded to the storage format.
#include "low.h"

struct DistancesLow : mutant::Low {
  using Low::Low;
  double alibi(Int b, Int h, Int i, Int j) override {
    if (!a.alibi_slopes) return 0;
    const double slope = mutant::number(a.alibi_slopes, h * a.alibi_slopes->strides[0]);
    const auto distance = static_cast<float>(std::abs(diagonal(b, i) - j));
    return -slope * static_cast<double>(low(distance));
  }
};

QKVET_LOW_MUTANT(DistancesLow)
