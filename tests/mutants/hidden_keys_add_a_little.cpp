// ONLINE (M016): each hidden key adds 2^-12 to the sum of a row that sees some key. Wrong under
// any contract; killed by hidden-key.
#include "base.h"

struct HiddenKeysAddALittle : mutant::Base {
  using Base::Base;
  Int hidden = 0;
  void begin(State& s, Int h) override {
    hidden = 0;
    Base::begin(s, h);
  }
  void add_key(State& s, float weight, bool shown, Int b, Int h, Int j) override {
    if (!shown) ++hidden;
    Base::add_key(s, weight, shown, b, h, j);
  }
  float output(const State& s, Int d) override {
    State more = s;
    more.sum += static_cast<float>(hidden) * 0x1p-12F;
    return Base::output(more, d);
  }
};

QKVET_MUTANT(HiddenKeysAddALittle)
