// Attention in tiles of eight keys, as vector code does it, with a bug of a common kind: the maximum
// of a tile is taken over all eight lanes of the scores, though a row under the causal mask fills
// only some of them. The others still hold the scores of an earlier row.
#include <qkvet/candidate/kernel.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace {

constexpr std::int64_t lanes = 8;

/// What an online softmax keeps of a row while it goes over the tiles of keys.
struct Row {
  float maximum = -INFINITY, sum = 0;

  /// The factor for all that was added so far.
  float raise(float to) {
    const float factor = maximum > -INFINITY ? std::exp(maximum - to) : 0;
    maximum = to;
    sum *= factor;
    return factor;
  }
};

int attention(std::int64_t B, std::int64_t H, std::int64_t L, std::int64_t S, std::int64_t d_k,
              std::int64_t d_v, const float* q, const float* k, const float* v, float scale,
              int causal, float* o) {
  float scores[lanes];
  std::fill(scores, scores + lanes, -INFINITY);
  for (std::int64_t row = 0; row < B * H * L; ++row, q += d_k, o += d_v) {
    const float *keys = k + row / L * S * d_k, *values = v + row / L * S * d_v;
    const std::int64_t end = causal ? std::min(S, row % L + 1) : S;
    Row state;
    std::fill(o, o + d_v, 0.0F);
    for (std::int64_t first = 0; first < end; first += lanes) {
      const std::int64_t n = std::min(lanes, end - first);
      for (std::int64_t j = 0; j < n; ++j) {
        float dot = 0;
        for (std::int64_t c = 0; c < d_k; ++c) dot += q[c] * keys[(first + j) * d_k + c];
        scores[j] = scale * dot;
      }
      // Wrong for n < lanes: it should be scores + n.
      const float highest = *std::max_element(scores, scores + lanes);
      const float factor = highest > state.maximum ? state.raise(highest) : 1.0F;
      for (std::int64_t d = 0; d < d_v; ++d) o[d] *= factor;
      for (std::int64_t j = 0; j < n; ++j) {
        const float weight = std::exp(scores[j] - state.maximum);
        state.sum += weight;
        for (std::int64_t d = 0; d < d_v; ++d) o[d] += weight * values[(first + j) * d_v + d];
      }
    }
    for (std::int64_t d = 0; d < d_v; ++d) o[d] = end > 0 ? o[d] / state.sum : 0;
  }
  return QKVET_OK;
}

}  // namespace

QKVET_CANDIDATE(attention);
