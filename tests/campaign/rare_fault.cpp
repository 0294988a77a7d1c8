#include "rare_fault.hpp"

#include "../mutants/base.h"

namespace qkvet {
namespace {

struct RarelyWrong : mutant::Base {
  using Base::Base;
  bool path() const {
    const bool window = m && (m->window_left >= 0 || m->window_right >= 0);
    return window && a.sinks && a.alibi_slopes && S % 16 == 1 && a.softcap > 0;
  }
  float sink(Int h) override { return path() ? -mutant::infinity : Base::sink(h); }
};

}  // namespace

const qkvet_candidate& rarely_wrong_kernel() {
  static const qkvet_candidate kernel = {sizeof(qkvet_candidate),
                                         QKVET_ABI,
                                         "rarely-wrong",
                                         "1",
                                         "contract = rarely-wrong\nbase = f32-ieee/1\n[semantics]\n"
                                         "empty_row = zero\nempty_lse = minus_inf\nlse_base = e\n"
                                         "lse_sink = included\ncap_order = cap_then_bias\n"
                                         "visible_nan = due\n[arithmetic]\ntanh_error = 6\n"
                                         "[limits]\nformats = f32\n",
                                         nullptr,
                                         mutant::forward<RarelyWrong>,
                                         nullptr};
  return kernel;
}

}  // namespace qkvet
