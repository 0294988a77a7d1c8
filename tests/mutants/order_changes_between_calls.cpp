// RACE (M079, B187): every second call adds the key tiles from the last to the first.
#include "base.h"

struct OrderChangesBetweenCalls : mutant::Base {
  using Base::Base;
  void row(Int b, Int h, Int i) override {
    State s;
    begin(s, h);
    const Int tiles = (S + mutant::tile - 1) / mutant::tile;
    for (Int t = 0; t < tiles; ++t) {
      add_tile(s, b, h, i, (backward() ? tiles - 1 - t : t) * mutant::tile);
    }
    for (Int d = 0; d < d_v; ++d) store(b, h, i, d, output(s, d));
    if (!a.lse) return;
    const Int* t = a.lse->strides;
    const char* place = mutant::at(a.lse, b * t[0] + h * t[1] + i * t[2]);
    const_cast<float&>(*reinterpret_cast<const float*>(place)) = lse(s, h);
  }
  void run() override {
    static bool turn = false;
    turn = !turn;
    backward_ = turn;
    Base::run();
  }
  bool backward() const { return backward_; }

 private:
  bool backward_ = false;
};

QKVET_MUTANT(OrderChangesBetweenCalls)
