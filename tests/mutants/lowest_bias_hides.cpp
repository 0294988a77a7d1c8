// EMPTYROW (B002, B003): a bias of the lowest number hides: a row of them is empty.
#include "base.h"

struct LowestBiasHides : mutant::Base {
  using Base::Base;
  bool visible(Int b, Int h, Int i, Int j) override {
    const double lowest = static_cast<double>(std::numeric_limits<float>::lowest());
    return Base::visible(b, h, i, j) && !(bias(b, h, i, j) <= lowest);
  }
};

QKVET_MUTANT(LowestBiasHides)
