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

/// Flushes results and operands, or rounds towards zero, while it lives; restores the mode of the
/// caller.
class Mode {
 public:
  Mode(bool flushes, bool truncates) {
#if defined(__SSE__)
    before_ = _mm_getcsr();
    _mm_setcsr(before_ | (flushes ? 0x8040U : 0U) | (truncates ? 0x6000U : 0U));
#endif
  }
  ~Mode() {
#if defined(__SSE__)
    _mm_setcsr(before_);
#endif
  }
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;

 private:
  unsigned before_ = 0;
};

template <class Real>
Partial<Real> whole_row(const Recipe& recipe, const Softmax<Real>& softmax, std::int64_t S) {
  Partial<Real> partial = softmax.nothing();
  if (recipe.sink == Sink::first) softmax.add_sink(partial);
  softmax.add_keys(partial, 0, S);
  if (recipe.sink == Sink::last) softmax.add_sink(partial);
  if (recipe.sink == Sink::late) softmax.add_sink_late(partial);
  softmax.finish(partial);
  return partial;
}

template <class Real>
Partial<Real> in_two_passes(const Recipe& recipe, const Softmax<Real>& softmax) {
  Partial<Real> partial = softmax.two_pass();
  const Real shift = Softmax<Real>::shift_of(partial.maximum);
  const Real sum = partial.sum;
  if (recipe.algorithm == Algorithm::two_pass) {
    softmax.add_values(partial.values, shift, 1);
    softmax.finish(partial);
    return partial;
  }
  std::vector<Real> values = partial.values;
  softmax.divide(partial);
  const bool from_lse = recipe.algorithm == Algorithm::weights_from_lse;
  softmax.add_values(values, from_lse ? Softmax<Real>::shift_of(partial.maximum) : shift,
                     from_lse ? 1 : sum);
  partial.values = values;
  return partial;
}

template <class Real>
Partial<Real> merge_tree(const Softmax<Real>& softmax, std::vector<Partial<Real>> parts) {
  while (parts.size() > 1) {
    std::vector<Partial<Real>> next;
    for (std::size_t p = 0; p < parts.size(); p += 2) {
      next.push_back(p + 1 < parts.size() ? softmax.merge_by_lse({parts[p], parts[p + 1]})
                                          : parts[p]);
    }
    parts = next;
  }
  return parts.front();
}

template <class Real>
Partial<Real> in_parts(const Recipe& recipe, const Softmax<Real>& softmax, std::int64_t S) {
  const std::int64_t parts =
      std::clamp<std::int64_t>(recipe.parts, 1, std::max<std::int64_t>(S, 1));
  const std::int64_t size = (S + parts - 1) / parts;
  std::vector<Partial<Real>> all;
  for (std::int64_t p = 0; p < parts; ++p) {
    all.push_back(softmax.nothing());
    if (p == 0) softmax.add_sink(all.back());
    softmax.add_keys(all.back(), std::min(p * size, S), std::min((p + 1) * size, S));
  }
  if (recipe.merge == Merge::state) {
    Partial<Real> merged = softmax.merge_states(all);
    softmax.finish(merged);
    return merged;
  }
  for (Partial<Real>& part : all) {
    softmax.finish(part);
    softmax.store_part(part);
  }
  if (recipe.merge == Merge::lse_flat) return softmax.merge_by_lse(all);
  if (recipe.merge == Merge::lse_tree) return merge_tree(softmax, all);
  Partial<Real> merged = all.front();
  for (std::size_t p = 1; p < all.size(); ++p) {
    merged = softmax.merge_by_lse({merged, all[p]});
    if (p + 1 < all.size()) softmax.store_part(merged);
  }
  return merged;
}

/// The output and, in `maximum`, the LSE in the row's units.
template <class Real>
Partial<Real> row(const Recipe& recipe, const Softmax<Real>& softmax, std::int64_t S) {
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

template <class Real>
void run_rows(const Recipe& recipe, const qkvet_args& args) {
  const Dims dims = qkvet::kernels::dims_of(args);
  const bool flush = recipe.flush_f16;
  Inputs<Real> inputs{args,
                      dims,
                      ToStorage<Real>(args.q->dtype, flush),
                      Dense<Real>(*args.q, flush),
                      Dense<Real>(*args.k, flush),
                      Dense<Real>(*args.v, flush)};
  inputs.v.make_operands(recipe.operands);
  const std::int64_t* step = args.o->strides;
  for (std::int64_t n = 0; n < dims.B * dims.H_q * dims.L; ++n) {
    const std::int64_t b = n / (dims.H_q * dims.L), h = n / dims.L % dims.H_q, i = n % dims.L;
    const Scores<Real> scores = scores_of_row(recipe, inputs, b, h, i);
    const Softmax<Real> softmax(recipe, scores, inputs, b, h / (dims.H_q / dims.H_kv));
    Partial<Real> result = row(recipe, softmax, dims.S);
    if (scores.empty) {
      std::fill(result.values.begin(), result.values.end(), Real{0});
      result.maximum = scores.sink;
    }
    for (std::int64_t d = 0; d < dims.d_v; ++d) {
      inputs.low.store(*args.o, b * step[0] + h * step[1] + i * step[2] + d * step[3],
                       result.values[static_cast<std::size_t>(d)]);
    }
    if (args.lse != nullptr) {
      View<Real> (*args.lse)(b, h, i) = result.maximum * (in_base_two(recipe) ? ln_2<Real> : Real{1});
    }
  }
}

}  // namespace

int run(const Recipe& recipe, const qkvet_args& args, qkvet_error* why) {
  const int status = qkvet::kernels::accept(args, args.q->dtype, why);
  if (status != QKVET_OK) return status;
  try {
    const Mode mode(recipe.flush, recipe.truncates);
    if (qkvet::kernels::same(args.q->dtype, qkvet::kernels::f64)) {
      run_rows<double>(recipe, args);
    } else {
      run_rows<float>(recipe, args);
    }
  } catch (const std::bad_alloc&) {
    return qkvet::kernels::refuse(QKVET_FAILED, "out of memory", why);
  }
  return QKVET_OK;
}

}  // namespace fleet
