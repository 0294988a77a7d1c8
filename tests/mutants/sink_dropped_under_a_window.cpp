// SINK (composite): the sink is ignored where a window is given and L > 1.
#include "base.h"

struct SinkDroppedUnderAWindow : mutant::Base {
  using Base::Base;
  float sink(Int h) override {
    return m && m->window_left >= 0 && L > 1 ? -mutant::infinity : Base::sink(h);
  }
};

QKVET_MUTANT(SinkDroppedUnderAWindow)
