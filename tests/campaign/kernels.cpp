#include "kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace qkvet {
namespace {

const float* floats(const qkvet_tensor* tensor) {
  return reinterpret_cast<const float*>(static_cast<const char*>(tensor->data) +
                                        tensor->byte_offset);
}

/// One row: weights by exp(score - max), then the average of the values.
void attend(const float* q, const float* k, const float* v, float scale, std::int64_t keys,
            std::int64_t d_k, std::int64_t d_v, float* o) {
  std::vector<float> weights(static_cast<std::size_t>(keys));
  float max = -std::numeric_limits<float>::infinity();
  for (std::int64_t j = 0; j < keys; ++j) {
    float score = 0;
    for (std::int64_t c = 0; c < d_k; ++c) score += q[c] * k[j * d_k + c];
    weights[static_cast<std::size_t>(j)] = score * scale;
    max = std::max(max, score * scale);
  }
  float sum = 0;
  for (float& weight : weights) {
    weight = std::exp(weight - max);
    sum += weight;
  }
  for (std::int64_t c = 0; c < d_v; ++c) {
    float value = 0;
    for (std::int64_t j = 0; j < keys; ++j) {
      value += weights[static_cast<std::size_t>(j)] * v[j * d_v + c];
    }
    o[c] = keys == 0 ? 0.0F : value / sum;
  }
}

int forward(bool drop, const qkvet_args& args) {
  const std::int64_t* q_shape = args.q->shape;
  const std::int64_t B = q_shape[0], H = q_shape[1], L = q_shape[2], d_k = q_shape[3];
  const std::int64_t S = args.k->shape[2], d_v = args.v->shape[3];
  const std::int64_t tail = drop && S > 1 && S % 4 == 1 ? 1 : 0;
  const bool causal = args.mask != nullptr && args.mask->causal != 0;
  auto* o = const_cast<float*>(floats(args.o));
  for (std::int64_t row = 0; row < B * H * L; ++row) {
    const std::int64_t group = row / L;
    const std::int64_t seen = causal ? std::min(S - tail, row % L + 1) : S - tail;
    attend(floats(args.q) + row * d_k, floats(args.k) + group * S * d_k,
           floats(args.v) + group * S * d_v, static_cast<float>(args.scale), seen, d_k, d_v,
           o + row * d_v);
  }
  return QKVET_OK;
}

int forward_plain(void*, const qkvet_args* args, qkvet_error*) { return forward(false, *args); }
int forward_dropping(void*, const qkvet_args* args, qkvet_error*) { return forward(true, *args); }
int refuse(void*, const qkvet_args*, qkvet_error*) { return QKVET_UNSUPPORTED; }

qkvet_candidate table(const char* name, int (*run)(void*, const qkvet_args*, qkvet_error*)) {
  return {sizeof(qkvet_candidate), QKVET_ABI, name, "0",
          QKVET_SIMPLE_CONTRACT,   nullptr,   run,  nullptr};
}

}  // namespace

const qkvet_candidate& plain_kernel() {
  static const qkvet_candidate kernel = table("plain", forward_plain);
  return kernel;
}

const qkvet_candidate& tail_dropping_kernel() {
  static const qkvet_candidate kernel = table("tail-dropping", forward_dropping);
  return kernel;
}

const qkvet_candidate& refusing_kernel() {
  static const qkvet_candidate kernel = table("refusing", refuse);
  return kernel;
}

}  // namespace qkvet
