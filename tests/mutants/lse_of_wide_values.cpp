// LSE (class LSE): the LSE is taken from a sum that includes the first value column where that
// is above 32. Wrong under any contract; killed by lse-ignores-values.
#include "base.h"

struct LseOfWideValues : mutant::Base {
  using Base::Base;
  float column = 0;
  void begin(State& s, Int h) override {
    column = 0;
    Base::begin(s, h);
  }
  void add_key(State& s, float weight, bool shown, Int b, Int h, Int j) override {
    Base::add_key(s, weight, shown, b, h, j);
    if (weight > 0 && d_v > 0 && v(b, kv_head(h), j, 0) > 32) column += weight;
  }
  float lse(const State& s, Int h) override {
    return s.empty ? Base::lse(s, h) : shift(s.maximum) + std::log(s.sum + column);
  }
};

QKVET_MUTANT(LseOfWideValues)
