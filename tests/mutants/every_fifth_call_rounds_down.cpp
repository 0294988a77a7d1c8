// RACE (class RACE): every fifth call rounds its outputs down. Wrong where deterministic = yes;
// killed by repeat.
#include "base.h"

struct EveryFifthCallRoundsDown : mutant::Base {
  using Base::Base;
  bool down = false;
  void run() override {
    static int calls = 0;
    down = ++calls % 5 == 0;
    Base::run();
  }
  float output(const State& s, Int d) override {
    const float x = Base::output(s, d);
    return !down || s.empty || std::isnan(x) || std::isinf(x) ? x
                                                              : std::nextafter(x, -mutant::infinity);
  }
};

QKVET_MUTANT(EveryFifthCallRoundsDown)
