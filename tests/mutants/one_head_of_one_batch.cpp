// GQA (composite): the last key of head 1 of batch entry 1 counts half.
#include "base.h"

struct OneHeadOfOneBatch : mutant::Base {
  using Base::Base;
  void add_key(State& s, float weight, bool shown, Int b, Int h, Int j) override {
    const bool wrong = b == 1 && h == 1 && j == S - 1;
    Base::add_key(s, wrong ? weight / 2 : weight, shown, b, h, j);
  }
};

QKVET_MUTANT(OneHeadOfOneBatch)
