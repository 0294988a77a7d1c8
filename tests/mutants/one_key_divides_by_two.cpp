// ONLINE (M011, B016): a row that sees one key only adds 1 to its sum. Wrong under any contract;
// killed by single-visible-key.
#include "base.h"

struct OneKeyDividesByTwo : mutant::Base {
  using Base::Base;
  void row(Int b, Int h, Int i) override {
    Int seen = 0;
    for (Int j = 0; j < S; ++j) seen += visible(b, h, i, j) ? 1 : 0;
    lonely = seen == 1;
    Base::row(b, h, i);
  }
  float output(const State& s, Int d) override {
    return lonely ? Base::output(s, d) / 2 : Base::output(s, d);
  }
  bool lonely = false;
};

QKVET_MUTANT(OneKeyDividesByTwo)
