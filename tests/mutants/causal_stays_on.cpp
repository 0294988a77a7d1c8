// ORACLE (B258, B259): a plan is kept per shape, and with it that the first call was causal. Wrong
// under any contract; killed by history-free.
#include "base.h"

struct CausalStaysOn : mutant::Base {
  using Base::Base;
  void run() override {
    static std::vector<Int> shape;
    static bool causal = false;
    const std::vector<Int> now = {B, H_q, H_kv, L, S, d_k, d_v};
    if (shape != now) causal = m && m->causal;
    shape = now;
    on_ = causal;
    Base::run();
  }
  bool causal_shows(Int b, Int i, Int j) override { return !on_ || j <= diagonal(b, i); }

 private:
  bool on_ = false;
};

QKVET_MUTANT(CausalStaysOn)
