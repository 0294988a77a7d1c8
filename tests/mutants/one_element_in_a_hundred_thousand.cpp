// INDEX (composite): one element in 100,000, at places that a hash tells, is 1 % too large.
#include "base.h"

struct OneElementInAHundredThousand : mutant::Base {
  using Base::Base;
  void store(Int b, Int h, Int i, Int d, float x) override {
    const auto place = static_cast<std::uint64_t>(((b * H_q + h) * L + i) * d_v + d);
    const bool wrong = (place + 1) * 0x9E3779B97F4A7C15U % 100'000 == 0;
    Base::store(b, h, i, d, wrong ? x * 1.01F : x);
  }
};

QKVET_MUTANT(OneElementInAHundredThousand)
