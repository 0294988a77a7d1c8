/* The same function in tiles of 64 keys, with a bug that a test on round sizes never meets: after
 * the first tile the loop stops one key early, so a last tile that holds a single key is not
 * visited. cc -O2 -shared -fPIC -I src examples/c/attention_buggy.c -o attention_buggy.so -lm qkvet
 * check ./attention_buggy.so */
#include <float.h>
#include <math.h>
#include <qkvet/candidate/kernel.h>

enum { tile = 64 };

/* Online softmax over keys [first, last) of one row. */
static void add_keys(int64_t first, int64_t last, int64_t d_k, int64_t d_v, const float* q,
                     const float* k, const float* v, float scale, float* max, float* sum,
                     float* o) {
  for (int64_t j = first; j < last; ++j) {
    float x = 0, old = *max;
    for (int64_t c = 0; c < d_k; ++c) x += q[c] * k[j * d_k + c];
    x *= scale;
    if (x > *max) *max = x;
    *sum = *sum * expf(old - *max) + expf(x - *max);
    for (int64_t d = 0; d < d_v; ++d) {
      o[d] = o[d] * expf(old - *max) + expf(x - *max) * v[j * d_v + d];
    }
  }
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int attention_in_tiles(int64_t B, int64_t H, int64_t L, int64_t S, int64_t d_k, int64_t d_v,
                              const float* q, const float* k, const float* v, float scale,
                              int causal, float* o) {
  for (int64_t row = 0; row < B * H * L; ++row, q += d_k, o += d_v) {
    const float *key = k + row / L * S * d_k, *value = v + row / L * S * d_v;
    const int64_t seen = causal ? least(S, row % L + 1) : S;
    float max = -FLT_MAX, sum = 0;
    for (int64_t d = 0; d < d_v; ++d) o[d] = 0;
    add_keys(0, least(seen, tile), d_k, d_v, q, key, value, scale, &max, &sum, o);
    for (int64_t first = tile; first < S - 1;
         first += tile) { /* the bug: it should say first < S */
      add_keys(first, least(seen, first + tile), d_k, d_v, q, key, value, scale, &max, &sum, o);
    }
    for (int64_t d = 0; d < d_v; ++d) o[d] = S > 0 ? o[d] / sum : 0;
  }
  return QKVET_OK;
}

QKVET_CANDIDATE(attention_in_tiles);
