// Hidden keys get the score -5e4 instead of none, on the path of plant.hpp without sinks and softcap.
// It shows only where all scores that a row sees are as low.
#include <algorithm>
#include <cmath>
#include <limits>

#include "fuzz/plants/plant.hpp"

namespace qkvet::plants {
namespace {

constexpr float sentinel = -5e4F;

/// Are all scores that the row sees below the sentinel? Then its hidden keys get the weight.
bool is_low(const qkvet_args& args, std::int64_t b, std::int64_t h, std::int64_t i) {
  const kernels::RowMask mask(args, b, h, i);
  float most = -std::numeric_limits<float>::infinity();
  for (std::int64_t j = 0; j < args.k->shape[2]; ++j) {
    if (mask.visible(j)) most = std::max(most, score(args, mask, b, h, i, j));
  }
  return std::isfinite(most) && most < sentinel;
}

bool hides_a_key(const qkvet_args& args, std::int64_t b, std::int64_t h, std::int64_t i) {
  const kernels::RowMask mask(args, b, h, i);
  for (std::int64_t j = 0; j < args.k->shape[2]; ++j) {
    if (!mask.visible(j)) return true;
  }
  return false;
}

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
  if (status != QKVET_OK || !on_the_path(*args)) return status;
  if (args->softcap > 0) return status;
  if (args->sinks != nullptr) return status;
  each_row(*args, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
    if (is_low(*args, b, h, i) && hides_a_key(*args, b, h, i)) spoil_row(*args, b, h, i);
  });
  return status;
}

}  // namespace
}  // namespace qkvet::plants

extern "C" const qkvet_candidate* qkvet_candidate_v1() {
  static const qkvet_candidate table = qkvet::plants::planted("sentinel", qkvet::plants::forward);
  return &table;
}
