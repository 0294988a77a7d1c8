// Hidden keys have the score -3e4 instead of none, in grouped heads. It shows only where every
// score that any row of the head sees is below that.
#include <algorithm>
#include <cmath>
#include <limits>

#include "fuzz/plants/plant.hpp"

namespace qkvet::plants {
namespace {

constexpr float sentinel = -3e4F;

/// Are all scores that the head sees below the sentinel, and are there any?
bool is_low(const qkvet_args& args, std::int64_t b, std::int64_t h) {
  float most = -std::numeric_limits<float>::infinity();
  for (std::int64_t i = 0; i < args.q->shape[2]; ++i) {
    const kernels::RowMask mask(args, b, h, i);
    for (std::int64_t j = 0; j < args.k->shape[2]; ++j) {
      if (mask.visible(j)) most = std::max(most, score(args, mask, b, h, i, j));
    }
  }
  return std::isfinite(most) && most < sentinel;
}

void spoil(const qkvet_args& args, std::int64_t b, std::int64_t h, std::int64_t i) {
  const kernels::RowMask mask(args, b, h, i);
  const kernels::Dims dims = kernels::dims_of(args);
  const kernels::View<const float> v(*args.v);
  const kernels::View<float> o(*args.o);
  std::int64_t hidden = 0;
  for (std::int64_t j = 0; j < dims.S; ++j) hidden += mask.visible(j) ? 0 : 1;
  if (hidden == 0 || hidden == dims.S) return;
  for (std::int64_t d = 0; d < dims.d_v; ++d) {
    float sum = 0, values = 0;
    for (std::int64_t j = 0; j < dims.S; ++j) {
      const float s = mask.visible(j) ? score(args, mask, b, h, i, j) : sentinel;
      sum += std::exp(s - sentinel);
      values += std::exp(s - sentinel) * v(b, h / (dims.H_q / dims.H_kv), j, d);
    }
    o(b, h, i, d) = values / sum;
  }
}

int forward(void*, const qkvet_args* args, qkvet_error* why) {
  const int status = flash(args, why);
  if (status != QKVET_OK || args->q->dtype.bits != 32) return status;
  if (args->q->shape[1] == args->k->shape[1] || args->softcap > 0 || args->sinks != nullptr) {
    return status;
  }
  each_row(*args, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
    if (is_low(*args, b, h)) spoil(*args, b, h, i);
  });
  return status;
}

}  // namespace
}  // namespace qkvet::plants

extern "C" const qkvet_candidate* qkvet_candidate_v1() {
  static const qkvet_candidate table =
      qkvet::plants::planted("deep_sentinel", qkvet::plants::forward);
  return &table;
}
