// ORACLE (M116, B258): from the eleventh call on one element is 1 % too large.
#include "base.h"

struct WrongAfterTenCalls : mutant::Base {
  using Base::Base;
  void run() override {
    static int calls = 0;
    late_ = ++calls > 10;
    Base::run();
  }
  void store(Int b, Int h, Int i, Int d, float x) override {
    const bool one = late_ && b == 0 && h == 0 && i == L - 1 && d == 0;
    Base::store(b, h, i, d, one ? x * 1.01F : x);
  }

 private:
  bool late_ = false;
};

QKVET_MUTANT(WrongAfterTenCalls)
