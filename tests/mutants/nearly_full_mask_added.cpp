// MASKSEM (M014, B031): in rows that hide one key only the boolean mask is added as 0 or 1.
#include "base.h"

struct NearlyFullMaskAdded : mutant::Base {
  using Base::Base;
  void row(Int b, Int h, Int i) override {
    hidden_ = 0;
    for (Int j = 0; j < S && m && m->attend; ++j) hidden_ += !Base::attend(b, h, i, j);
    Base::row(b, h, i);
  }
  bool attend(Int b, Int h, Int i, Int j) override {
    return hidden_ == 1 || Base::attend(b, h, i, j);
  }
  float score(Int b, Int h, Int i, Int j) override {
    const bool added = hidden_ == 1 && Base::attend(b, h, i, j);
    return Base::score(b, h, i, j) + (added ? 1.0F : 0.0F);
  }

 private:
  Int hidden_ = 0;
};

QKVET_MUTANT(NearlyFullMaskAdded)
