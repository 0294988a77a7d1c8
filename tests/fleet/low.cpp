#include "low.hpp"

#include <cmath>
#include <type_traits>

#include "../support/matrix_units.hpp"

namespace fleet {
namespace {

using namespace qkvet::kernels;

float flushed(float x) { return std::fabs(x) < 0x1p-14F ? std::copysign(0.0F, x) : x; }

template <class Real>
constexpr bool is_double = std::is_same_v<Real, double>;

}  // namespace

template <class Real>
Real operand(Operands kind, Real x) {
  if constexpr (is_double<Real>) {
    return x;
  } else {
    return kind == Operands::stored ? x : qkvet::test::tf32(x, kind == Operands::tf32);
  }
}

template <class Real>
Real in_eight_bits(Narrow format, Real x) {
  if constexpr (is_double<Real>) {
    return x;
  } else {
    return format == Narrow::e4m3 ? qkvet::test::e4m3(x) : qkvet::test::e5m2(x);
  }
}

template <class Real>
Dense<Real>::Dense(const qkvet_tensor& tensor, bool flushes_f16)
    : B_(tensor.shape[1]), C_(tensor.shape[2]), D_(tensor.shape[3]) {
  const bool flush = flushes_f16 && same(tensor.dtype, f16);
  const std::int64_t* step = tensor.strides;
  for (std::int64_t a = 0; a < tensor.shape[0]; ++a)
    for (std::int64_t b = 0; b < B_; ++b)
      for (std::int64_t c = 0; c < C_; ++c)
        for (std::int64_t d = 0; d < D_; ++d) {
          const std::int64_t at = a * step[0] + b * step[1] + c * step[2] + d * step[3];
          const auto x = static_cast<Real>(number_at(tensor, at));
          values_.push_back(flush ? static_cast<Real>(flushed(static_cast<float>(x))) : x);
        }
}

template <class Real>
void Dense<Real>::make_operands(Operands kind) {
  for (Real& x : values_) x = operand(kind, x);
}

template <class Real>
Real ToStorage<Real>::operator()(Real x) const {
  if constexpr (is_double<Real>) {
    return x;
  } else {
    if (same(stored_, bf16)) return wide(narrow<BF16>(x));
    if (!same(stored_, f16)) return x;
    const float rounded = wide(narrow<F16>(x));
    return flushes_ ? flushed(rounded) : rounded;
  }
}

template <class Real>
void ToStorage<Real>::store(const qkvet_tensor& tensor, std::int64_t offset, Real x) const {
  char* const base = base_of(tensor);
  if constexpr (is_double<Real>) {
    reinterpret_cast<double*>(base)[offset] = x;
  } else if (same(stored_, bf16)) {
    reinterpret_cast<BF16*>(base)[offset] = narrow<BF16>(x);
  } else if (same(stored_, f16)) {
    reinterpret_cast<F16*>(base)[offset] = narrow<F16>((*this)(x));
  } else {
    reinterpret_cast<float*>(base)[offset] = x;
  }
}

template float operand(Operands, float);
template double operand(Operands, double);
template float in_eight_bits(Narrow, float);
template double in_eight_bits(Narrow, double);
template class Dense<float>;
template class Dense<double>;
template class ToStorage<float>;
template class ToStorage<double>;

}  // namespace fleet
