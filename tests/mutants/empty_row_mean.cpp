// EMPTYROW (M002, B008): an empty row gives the mean of V. Wrong under empty_row = zero; killed
// by empty-row.
#include "base.h"

struct EmptyRowMean : mutant::Base {
  using Base::Base;
  void row(Int b, Int h, Int i) override {
    Base::row(b, h, i);
    for (Int j = 0; j < S; ++j) {
      if (visible(b, h, i, j)) return;
    }
    for (Int d = 0; S > 0 && d < d_v; ++d) {
      float sum = 0;
      for (Int j = 0; j < S; ++j) sum += v(b, kv_head(h), j, d);
      store(b, h, i, d, sum / static_cast<float>(S));
    }
  }
};

QKVET_MUTANT(EmptyRowMean)
