// A fleet kernel from end to end: scores of a row, one of the algorithms, the outputs.
#include "kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "softmax.hpp"

namespace fleet {
namespace {

using qkvet::kernels::Dims;
using qkvet::kernels::View;

/// Flushes results and operands while it lives; restores the mode of the caller.
class FlushMode {
 public:
  explicit FlushMode(bool on) : on_(on) {
#if defined(__SSE__)
    before_ = _mm_getcsr();
    if (on_) _mm_setcsr(before_ | 0x8040U);
#endif
  }
  ~FlushMode() {
#if defined(__SSE__)
    if (on_) _mm_setcsr(before_);
#endif
  }
  FlushMode(const FlushMode&) = delete;
  FlushMode& operator=(const FlushMode&) = delete;

 private:
  bool on_;
  unsigned before_ = 0;
};

Partial whole_row(const Recipe& recipe, const Softmax& softmax, std::int64_t S) {
  Partial partial = softmax.nothing();
  if (recipe.sink == Sink::first) softmax.add_sink(partial);
  softmax.add_keys(partial, 0, S);
  if (recipe.sink == Sink::last) softmax.add_sink(partial);
  if (recipe.sink == Sink::late) softmax.add_sink_late(partial);
  softmax.divide(partial);
  return partial;
}

Partial in_two_passes(const Recipe& recipe, const Softmax& softmax) {
  Partial partial = softmax.two_pass();
  const float shift = Softmax::shift_of(partial.maximum);
  const float sum = partial.sum;
  if (recipe.algorithm == Algorithm::two_pass) {
    softmax.add_values(partial.values, shift, 1);
    softmax.divide(partial);
    return partial;
  }
  std::vector<float> values = partial.values;
  softmax.divide(partial);
  const bool from_lse = recipe.algorithm == Algorithm::weights_from_lse;
  softmax.add_values(values, from_lse ? Softmax::shift_of(partial.maximum) : shift,
                     from_lse ? 1 : sum);
  partial.values = values;
  return partial;
}

Partial merge_tree(const Softmax& softmax, std::vector<Partial> parts) {
  while (parts.size() > 1) {
    std::vector<Partial> next;
    for (std::size_t p = 0; p < parts.size(); p += 2) {
      next.push_back(p + 1 < parts.size() ? softmax.merge_by_lse({parts[p], parts[p + 1]})
                                          : parts[p]);
    }
    parts = next;
  }
  return parts.front();
}

Partial in_parts(const Recipe& recipe, const Softmax& softmax, std::int64_t S) {
  const std::int64_t parts =
      std::clamp<std::int64_t>(recipe.parts, 1, std::max<std::int64_t>(S, 1));
  const std::int64_t size = (S + parts - 1) / parts;
  std::vector<Partial> all;
  for (std::int64_t p = 0; p < parts; ++p) {
    all.push_back(softmax.nothing());
    if (p == 0) softmax.add_sink(all.back());
    softmax.add_keys(all.back(), std::min(p * size, S), std::min((p + 1) * size, S));
  }
  if (recipe.merge == Merge::state) {
    Partial merged = softmax.merge_states(all);
    softmax.divide(merged);
    return merged;
  }
  for (Partial& part : all) {
    softmax.divide(part);
    softmax.store_part(part);
  }
  if (recipe.merge == Merge::lse_flat) return softmax.merge_by_lse(all);
  if (recipe.merge == Merge::lse_tree) return merge_tree(softmax, all);
  Partial merged = all.front();
  for (std::size_t p = 1; p < all.size(); ++p) {
    merged = softmax.merge_by_lse({merged, all[p]});
    if (p + 1 < all.size()) softmax.store_part(merged);
  }
  return merged;
}

/// The output and, in `maximum`, the LSE in the row's units.
Partial row(const Recipe& recipe, const Softmax& softmax, std::int64_t S) {
  switch (recipe.algorithm) {
    case Algorithm::online:
    case Algorithm::renormalised:
      return whole_row(recipe, softmax, S);
    case Algorithm::two_pass:
    case Algorithm::normalised_first:
    case Algorithm::weights_from_lse:
      return in_two_passes(recipe, softmax);
    case Algorithm::split:
      return in_parts(recipe, softmax, S);
  }
  return softmax.nothing();
}

void run_rows(const Recipe& recipe, const qkvet_args& args) {
  const Dims dims = qkvet::kernels::dims_of(args);
  const bool flush = recipe.flush_f16;
  const Inputs inputs{args,
                      dims,
                      ToStorage(args.q->dtype, flush),
                      Dense(*args.q, flush),
                      Dense(*args.k, flush),
                      Dense(*args.v, flush)};
  const std::int64_t* step = args.o->strides;
  for (std::int64_t n = 0; n < dims.B * dims.H_q * dims.L; ++n) {
    const std::int64_t b = n / (dims.H_q * dims.L), h = n / dims.L % dims.H_q, i = n % dims.L;
    const Scores scores = scores_of_row(recipe, inputs, b, h, i);
    const Softmax softmax(recipe, scores, inputs, b, h / (dims.H_q / dims.H_kv));
    Partial result = row(recipe, softmax, dims.S);
    if (scores.empty) {
      std::fill(result.values.begin(), result.values.end(), 0.0F);
      result.maximum = scores.sink;
    }
    for (std::int64_t d = 0; d < dims.d_v; ++d) {
      inputs.low.store(*args.o, b * step[0] + h * step[1] + i * step[2] + d * step[3],
                       result.values[static_cast<std::size_t>(d)]);
    }
    if (args.lse != nullptr) {
      View<float> (*args.lse)(b, h, i) = result.maximum * (in_base_two(recipe) ? ln_2 : 1.0F);
    }
  }
}

}  // namespace

int run(const Recipe& recipe, const qkvet_args& args, qkvet_error* why) {
  if (qkvet::kernels::same(args.q->dtype, qkvet::kernels::f64)) {
    return qkvet::kernels::refuse(QKVET_UNSUPPORTED, "f32, f16 or bf16", why);
  }
  const int status = qkvet::kernels::accept(args, args.q->dtype, why);
  if (status != QKVET_OK) return status;
  try {
    const FlushMode mode(recipe.flush);
    run_rows(recipe, args);
  } catch (const std::bad_alloc&) {
    return qkvet::kernels::refuse(QKVET_FAILED, "out of memory", why);
  }
  return QKVET_OK;
}

}  // namespace fleet
