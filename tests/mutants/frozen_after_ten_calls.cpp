// ORACLE (M116, B258): after ten calls of one shape the values of the tenth are used, as by a graph
// that was captured once. Wrong under any contract; killed by history-free.
#include "base.h"

struct FrozenAfterTenCalls : mutant::Base {
  using Base::Base;
  std::vector<float>* kept = nullptr;
  void run() override {
    static std::vector<float> values;
    static std::vector<Int> shape;
    static int calls = 0;
    const std::vector<Int> now = {B, H_q, H_kv, L, S, d_k, d_v};
    calls = shape == now ? calls + 1 : 1;
    shape = now;
    if (calls == 10) {
      values.clear();
      for (Int n = 0; n < B * H_kv * S * d_v; ++n) {
        values.push_back(Base::v(n / d_v / S / H_kv, n / d_v / S % H_kv, n / d_v % S, n % d_v));
      }
    }
    kept = calls > 10 ? &values : nullptr;
    Base::run();
  }
  float v(Int b, Int g, Int j, Int d) override {
    if (!kept) return Base::v(b, g, j, d);
    return (*kept)[static_cast<std::size_t>(((b * H_kv + g) * S + j) * d_v + d)];
  }
};

QKVET_MUTANT(FrozenAfterTenCalls)
