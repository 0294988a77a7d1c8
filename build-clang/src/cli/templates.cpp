// Made by CMake from examples/c/attention.c and examples/numpy_attention.py.
#include "cli/templates.hpp"

namespace qkvet::cli {

std::string_view c_template() {
  return R"qkvet(/* Attention on plain contiguous f32 tensors, ready for qkvet. Compile and check:
 *   cc -O2 -shared -fPIC -I src examples/c/attention.c -o attention.so -lm
 *   qkvet check ./attention.so */
#include <float.h>
#include <math.h>
#include <qkvet/candidate/kernel.h>

static int attention(int64_t B, int64_t H, int64_t L, int64_t S, int64_t d_k, int64_t d_v,
                     const float* q, const float* k, const float* v, float scale, int causal,
                     float* o) {
  for (int64_t row = 0; row < B * H * L; ++row, q += d_k, o += d_v) {
    const float *key = k + row / L * S * d_k, *value = v + row / L * S * d_v;
    float max = -FLT_MAX, sum = 0;
    for (int64_t d = 0; d < d_v; ++d) o[d] = 0;
    for (int64_t j = 0; j < S && (!causal || j <= row % L); ++j, key += d_k, value += d_v) {
      float x = 0, old = max;
      for (int64_t c = 0; c < d_k; ++c) x += q[c] * key[c];
      x *= scale;
      if (x > max) max = x;
      sum = sum * expf(old - max) + expf(x - max);
      for (int64_t d = 0; d < d_v; ++d) o[d] = o[d] * expf(old - max) + expf(x - max) * value[d];
    }
    for (int64_t d = 0; d < d_v; ++d) o[d] = S > 0 ? o[d] / sum : 0;
  }
  return QKVET_OK;
}

QKVET_CANDIDATE(attention);
)qkvet";
}

std::string_view python_template() {
  return R"qkvet("""Attention in numpy, called as PyTorch's scaled_dot_product_attention is: the example to copy.

    qkvet check py:examples/numpy_attention.py:attention
"""

import numpy as np


def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None,
              enable_gqa=False):
    """query [B, H_q, L, d_k], key [B, H_kv, S, d_k], value [B, H_kv, S, d_v] -> [B, H_q, L, d_v]."""
    if dropout_p:
        raise NotImplementedError("no dropout")
    key, value = (np.repeat(x, query.shape[1] // key.shape[1], axis=1) for x in (key, value))
    scores = query @ key.swapaxes(-1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    scores = masked(scores, attn_mask, is_causal)
    # A row that sees no key has the maximum -inf and the sum 0: its weights, and so its output, are 0.
    peak = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(peak == -np.inf, 0, peak))
    total = weights.sum(axis=-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ value


def masked(scores, attn_mask, is_causal):
    """Scores with -inf for keys that are not seen. True means attend; a float mask is added."""
    visible = np.tri(*scores.shape[-2:], dtype=bool) if is_causal else np.True_
    if attn_mask is not None and attn_mask.dtype == bool:
        visible = visible & attn_mask
    elif attn_mask is not None:
        scores = scores + attn_mask
    return np.where(visible, scores, -np.inf).astype(scores.dtype)
)qkvet";
}

}  // namespace qkvet::cli
