// STRIDE (class STRIDE): the LSE is written as if it were contiguous.
#include "base.h"

struct LseStridesContiguous : mutant::Base {
  using Base::Base;
  void run() override {
    Base::run();
    if (!a.lse) return;
    const Int* t = a.lse->strides;
    std::vector<float> values;
    for (Int n = 0; n < B * H_q * L; ++n) {
      values.push_back(place(n / (H_q * L) * t[0] + n / L % H_q * t[1] + n % L * t[2]));
    }
    const Int last = (B - 1) * t[0] + (H_q - 1) * t[1] + (L - 1) * t[2];
    for (Int n = 0; n < B * H_q * L && n <= last; ++n)
      place(n) = values[static_cast<std::size_t>(n)];
  }

 private:
  float& place(Int offset) {
    return const_cast<float&>(*reinterpret_cast<const float*>(mutant::at(a.lse, offset)));
  }
};

QKVET_MUTANT(LseStridesContiguous)
