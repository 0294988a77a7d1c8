// ORACLE (M112, B259): V is kept from the call before if the shape is the same. Wrong under any
// contract; killed by history-free.
#include "base.h"

struct ValuesKeptForSameShape : mutant::Base {
  using Base::Base;
  std::vector<float>* kept = nullptr;
  void run() override {
    static std::vector<float> values;
    static std::vector<Int> shape;
    const std::vector<Int> now = {B, H_q, H_kv, L, S, d_k, d_v};
    if (shape != now) {
      shape = now;
      values.clear();
      for (Int b = 0; b < B; ++b)
        for (Int g = 0; g < H_kv; ++g)
          for (Int j = 0; j < S; ++j)
            for (Int d = 0; d < d_v; ++d) values.push_back(Base::v(b, g, j, d));
    }
    kept = &values;
    Base::run();
  }
  float v(Int b, Int g, Int j, Int d) override {
    return (*kept)[static_cast<std::size_t>(((b * H_kv + g) * S + j) * d_v + d)];
  }
};

QKVET_MUTANT(ValuesKeptForSameShape)
