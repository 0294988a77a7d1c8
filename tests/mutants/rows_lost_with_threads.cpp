// RACE (class RACE): rows that several threads cannot share out evenly are lost.
#include "base.h"

struct RowsLostWithThreads : mutant::Base {
  using Base::Base;
  void head(Int b, Int h) override {
    const Int threads = std::max<Int>(1, a.threads);
    for (Int i = 0; i < L / threads * threads; ++i) row(b, h, i);
  }
};

QKVET_MUTANT(RowsLostWithThreads)
