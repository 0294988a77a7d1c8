// A row divides 0 by 0 only where three masks of different kinds (diagonal, key range, boolean)
// leave it no key, any two of them would leave one, and it lies in the ragged last tile of the last
// head.
#include <limits>

#include "fuzz/plants/plant.hpp"

namespace qkvet::plants {
namespace {

constexpr std::int64_t tile = 16;

/// Which of the three kinds hide key j, a bit each.
unsigned hiding(const qkvet_args& args, std::int64_t b, std::int64_t h, std::int64_t i,
                std::int64_t j) {
  const qkvet_mask& mask = *args.mask;
  const auto hides = [&](const qkvet_mask& part) {
    qkvet_args alone = args;
    alone.mask = &part;
    return !kernels::RowMask(alone, b, h, i).visible(j);
  };
  qkvet_mask diagonal = mask, range = mask, bytes = mask;
  for (qkvet_mask* other : {&range, &bytes}) {
    other->causal = 0;
    other->window_left = other->window_right = -1;
  }
  for (qkvet_mask* other : {&diagonal, &bytes}) other->key_start = other->key_end = nullptr;
  for (qkvet_mask* other : {&diagonal, &range}) other->attend = nullptr;
  for (qkvet_mask* other : {&diagonal, &range, &bytes}) other->bias = nullptr;
  return (hides(diagonal) ? 1U : 0U) | (hides(range) ? 2U : 0U) | (hides(bytes) ? 4U : 0U);
}

bool needs_all_three(const qkvet_args& args, std::int64_t b, std::int64_t h, std::int64_t i) {
  unsigned alone = 0;
  const std::int64_t S = args.k->shape[2];
  for (std::int64_t j = 0; j < S; ++j) {
    const unsigned by = hiding(args, b, h, i, j);
    if (by == 0) return false;
    if (by == 1 || by == 2 || by == 4) alone |= by;
  }
  return alone == 7;
}

int forward(void*, const qkvet_args* args, qkvet_error* why) {
  const int status = flash(args, why);
  if (status != QKVET_OK || args->q->dtype.bits != 32) return status;
  if (args->mask == nullptr || args->mask->attend == nullptr || args->mask->key_start == nullptr) {
    return status;
  }
  const kernels::Dims dims = kernels::dims_of(*args);
  const kernels::View<float> o(*args->o);
  each_row(*args, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
    if (b + 1 != dims.B || h + 1 != dims.H_q || i < dims.L / tile * tile) return;
    if (!needs_all_three(*args, b, h, i)) return;
    for (std::int64_t d = 0; d < dims.d_v; ++d) {
      o(b, h, i, d) = std::numeric_limits<float>::quiet_NaN();
    }
  });
  return status;
}

}  // namespace
}  // namespace qkvet::plants

extern "C" const qkvet_candidate* qkvet_candidate_v1() {
  static const qkvet_candidate table =
      qkvet::plants::planted("deep_empty_row", qkvet::plants::forward);
  return &table;
}
