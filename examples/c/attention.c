/* Attention on plain contiguous f32 tensors, ready for qkvet. Compile and check:
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
