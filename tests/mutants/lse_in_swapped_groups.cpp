// LSE (M050, B128): for one query and grouped heads the LSE is written with the group and the key
// head swapped.
#include "base.h"

struct LseInSwappedGroups : mutant::Base {
  using Base::Base;
  void run() override {
    Base::run();
    const Int group = H_q / H_kv;
    if (L != 1 || group == 1 || !a.lse) return;
    for (Int b = 0; b < B; ++b) {
      std::vector<float> right;
      for (Int h = 0; h < H_q; ++h) right.push_back(place(b, h));
      for (Int h = 0; h < H_q; ++h) {
        place(b, h % group * H_kv + h / group) = right[static_cast<std::size_t>(h)];
      }
    }
  }

 private:
  float& place(Int b, Int h) {
    const Int* t = a.lse->strides;
    return const_cast<float&>(*reinterpret_cast<const float*>(mutant::at(a.lse, b * t[0] + h * t[1])));
  }
};

QKVET_MUTANT(LseInSwappedGroups)
