// AXIS (issue 3): the weights are normalised over the queries, not over the keys. Wrong under any
// contract; killed by softmax-axis.
#include "base.h"

struct WrongAxis : mutant::Base {
  using Base::Base;
  void head(Int b, Int h) override {
    Base::head(b, h);  // the LSE is right
    const auto at = [&](Int i, Int j) { return static_cast<std::size_t>(i * S + j); };
    std::vector<float> weights(at(L, 0), 0.0F);
    for (Int j = 0; j < S; ++j) {
      float top = -mutant::infinity, sum = 0;
      for (Int i = 0; i < L; ++i) {
        weights[at(i, j)] = visible(b, h, i, j) ? score(b, h, i, j) : -mutant::infinity;
        top = std::max(top, weights[at(i, j)]);
      }
      for (Int i = 0; i < L; ++i) sum += exp(weights[at(i, j)] - shift(top));
      for (Int i = 0; i < L; ++i) weights[at(i, j)] = exp(weights[at(i, j)] - shift(top)) / sum;
    }
    for (Int i = 0; i < L; ++i) {
      for (Int d = 0; d < d_v; ++d) {
        float value = 0;
        for (Int j = 0; j < S; ++j) {
          if (weights[at(i, j)] > 0) value += weights[at(i, j)] * v(b, kv_head(h), j, d);
        }
        store(b, h, i, d, value);
      }
    }
  }
};

QKVET_MUTANT(WrongAxis)
