#include "low.hpp"

#include <cmath>

namespace fleet {
namespace {

using namespace qkvet::kernels;

float flushed(float x) { return std::fabs(x) < 0x1p-14F ? std::copysign(0.0F, x) : x; }

}  // namespace

Dense::Dense(const qkvet_tensor& tensor, bool flushes_f16)
    : B_(tensor.shape[1]), C_(tensor.shape[2]), D_(tensor.shape[3]) {
  const bool flush = flushes_f16 && same(tensor.dtype, f16);
  const std::int64_t* step = tensor.strides;
  for (std::int64_t a = 0; a < tensor.shape[0]; ++a)
    for (std::int64_t b = 0; b < B_; ++b)
      for (std::int64_t c = 0; c < C_; ++c)
        for (std::int64_t d = 0; d < D_; ++d) {
          const std::int64_t at = a * step[0] + b * step[1] + c * step[2] + d * step[3];
          const auto x = static_cast<float>(number_at(tensor, at));
          values_.push_back(flush ? flushed(x) : x);
        }
}

float ToStorage::operator()(float x) const {
  if (same(stored_, bf16)) return wide(narrow<BF16>(x));
  if (!same(stored_, f16)) return x;
  const float rounded = wide(narrow<F16>(x));
  return flushes_ ? flushed(rounded) : rounded;
}

void ToStorage::store(const qkvet_tensor& tensor, std::int64_t offset, float x) const {
  char* const base = base_of(tensor);
  if (same(stored_, bf16)) {
    reinterpret_cast<BF16*>(base)[offset] = narrow<BF16>(x);
  } else if (same(stored_, f16)) {
    reinterpret_cast<F16*>(base)[offset] = narrow<F16>((*this)(x));
  } else {
    reinterpret_cast<float*>(base)[offset] = x;
  }
}

}  // namespace fleet
