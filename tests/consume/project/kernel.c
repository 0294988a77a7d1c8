/* A kernel in C99 that needs the ABI header alone. */
#include <math.h>
#include <qkvet/candidate/kernel.h>

static int attention(int64_t B, int64_t H, int64_t L, int64_t S, int64_t d_k, int64_t d_v,
                     const float* q, const float* k, const float* v, float scale, int causal,
                     float* o) {
  for (int64_t row = 0; row < B * H * L; ++row) {
    const float *keys = k + row / L * S * d_k, *values = v + row / L * S * d_v;
    const int64_t end = causal && row % L + 1 < S ? row % L + 1 : S;
    float max = -INFINITY, sum = 0;
    for (int64_t c = 0; c < d_v; ++c) o[row * d_v + c] = 0;
    for (int pass = 0; pass < 2; ++pass) {
      for (int64_t j = 0; j < end; ++j) {
        float score = 0;
        for (int64_t c = 0; c < d_k; ++c) score += q[row * d_k + c] * keys[j * d_k + c];
        score *= scale;
        if (pass == 0) {
          max = fmaxf(max, score);
        } else {
          const float weight = expf(score - max);
          sum += weight;
          for (int64_t c = 0; c < d_v; ++c) o[row * d_v + c] += weight * values[j * d_v + c];
        }
      }
    }
    for (int64_t c = 0; c < d_v && sum > 0; ++c) o[row * d_v + c] /= sum;
  }
  return QKVET_OK;
}
QKVET_CANDIDATE(attention);
