// Hidden keys get the score -5e4 instead of none: with ALiBi, a window, a boolean mask and a key
// range, in batches, for grouped heads with d_v < d_k without sinks. It shows only where visible
// scores are as low.
#include <algorithm>
#include <cmath>
#include <limits>

#include "fuzz/plants/plant.hpp"

namespace qkvet::plants {
namespace {

constexpr float sentinel = -5e4F;

/// The row's largest visible score; -infinity if it sees or hides nothing: then there is no fault.
float top_score(const qkvet_args& args, std::int64_t b, std::int64_t h, std::int64_t i) {
  const kernels::RowMask mask(args, b, h, i);
  float most = -std::numeric_limits<float>::infinity();
  bool hides = false;
  for (std::int64_t j = 0; j < args.k->shape[2]; ++j) {
    if (mask.visible(j)) {
      most = std::max(most, score(args, mask, b, h, i, j));
    } else {
      hides = true;
    }
  }
  return hides ? most : -std::numeric_limits<float>::infinity();
}

/// In a row whose scores are all below the sentinel the hidden keys get the weight.
bool shows_in(float top) { return std::isfinite(top) && top < sentinel; }

void spoil_row(const qkvet_args& args, std::int64_t b, std::int64_t h, std::int64_t i) {
  const kernels::Dims dims = kernels::dims_of(args);
  const kernels::View<const float> v(*args.v);
  const kernels::View<float> o(*args.o);
  const kernels::RowMask mask(args, b, h, i);
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
  if (status != QKVET_OK || args->mask == nullptr || args->q->dtype.bits != 32) return status;
  if (args->q->shape[0] < 2) return status;
  if (args->q->shape[1] == args->k->shape[1]) return status;
  if (args->v->shape[3] >= args->q->shape[3]) return status;
  if (args->alibi_slopes == nullptr) return status;
  if (!has_window(*args)) return status;
  if (args->mask->key_start == nullptr) return status;
  if (args->mask->attend == nullptr) return status;
  if (args->sinks != nullptr) return status;
  each_row(*args, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
    if (shows_in(top_score(*args, b, h, i))) spoil_row(*args, b, h, i);
  });
  return status;
}

}  // namespace
}  // namespace qkvet::plants

extern "C" const qkvet_candidate* qkvet_candidate_v1() {
  static const qkvet_candidate table = qkvet::plants::planted("sentinel", qkvet::plants::forward);
  return &table;
}
