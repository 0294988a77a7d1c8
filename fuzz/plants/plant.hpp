// Planted faults: kernels that are flash except where several features meet. They exist to measure
// the fuzzers (docs/fuzzing.md 4); no product links them. Each condition is a branch of its own, as
// it is in a kernel with a path per feature: that is what coverage can see and blind drawing
// cannot.
#pragma once

#include <qkvet/candidate/kernel.h>

#include <cstdint>
#include <qkvet/kernels/args.hpp>
#include <qkvet/kernels/kernels.hpp>

namespace qkvet::plants {

/// flash's table with another forward.
inline qkvet_candidate planted(const char* name,
                               int (*forward)(void*, const qkvet_args*, qkvet_error*)) {
  qkvet_candidate table = *builtin_kernel("flash");
  table.name = name;
  table.forward = forward;
  return table;
}

inline int flash(const qkvet_args* args, qkvet_error* why) {
  const qkvet_candidate& table = *builtin_kernel("flash");
  return table.forward(table.self, args, why);
}

/// Calls fn(b, h, i) for every query row.
template <class Fn>
void each_row(const qkvet_args& args, Fn&& fn) {
  const kernels::Dims dims = kernels::dims_of(args);
  for (std::int64_t b = 0; b < dims.B; ++b)
    for (std::int64_t h = 0; h < dims.H_q; ++h)
      for (std::int64_t i = 0; i < dims.L; ++i) fn(b, h, i);
}

/// Score of a visible key in f32, as flash would have it without its lanes.
inline float score(const qkvet_args& args, const kernels::RowMask& mask, std::int64_t b,
                   std::int64_t h, std::int64_t i, std::int64_t j) {
  const kernels::Dims dims = kernels::dims_of(args);
  const kernels::View<const float> q(*args.q), k(*args.k);
  float dot = 0;
  for (std::int64_t c = 0; c < dims.d_k; ++c) {
    dot += q(b, h, i, c) * k(b, h / (dims.H_q / dims.H_kv), j, c);
  }
  return static_cast<float>(static_cast<double>(static_cast<float>(args.scale) * dot) +
                            mask.bias(j));
}

/// Does this call take the path where the faults are? In f32, for batches of grouped heads with
/// d_v < d_k that want an LSE, under ALiBi, a window, a key range, a boolean mask and a bias.
inline bool on_the_path(const qkvet_args& args) {
  if (args.q->dtype.bits != 32) return false;
  if (args.q->shape[0] < 2) return false;
  if (args.q->shape[1] == args.k->shape[1]) return false;
  if (args.v->shape[3] >= args.q->shape[3]) return false;
  if (args.lse == nullptr) return false;
  if (args.alibi_slopes == nullptr) return false;
  if (args.mask == nullptr) return false;
  if (args.mask->window_left < 0) return false;
  if (args.mask->window_right < 0) return false;
  if (args.mask->key_start == nullptr) return false;
  if (args.mask->attend == nullptr) return false;
  return args.mask->bias != nullptr;
}

}  // namespace qkvet::plants
