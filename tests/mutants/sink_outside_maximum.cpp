// SINK (M094, B217): the sink is not in the maximum: a large one overflows. Wrong under any
// contract; killed by matches-reference.
#include "base.h"

struct SinkOutsideMaximum : mutant::Base {
  using Base::Base;
  void begin(State& s, Int h) override {
    Base::begin(s, h);
    s.maximum = -mutant::infinity;
    s.sum = 0;
  }
  float output(const State& s, Int d) override {
    return s.empty ? 0 : s.values[static_cast<std::size_t>(d)] / total(s);
  }
  float total(const State& s) { return s.sum + exp(sink(head_in_work) - shift(s.maximum)); }
  float lse(const State& s, Int h) override {
    return s.empty ? sink(h) : shift(s.maximum) + std::log(total(s));
  }
  void head(Int b, Int h) override {
    head_in_work = h;
    Base::head(b, h);
  }
  Int head_in_work = 0;
};

QKVET_MUTANT(SinkOutsideMaximum)
