// Vectors of one instruction set, and the functions of the softmax on them. Included by isa_*.cpp
// only, which say QKVET_FLASH_ISA (a namespace) and QKVET_FLASH_BYTES (the size of a vector). All
// that is compiled for a processor that may not be there lies in that namespace and calls no
// function of the standard library: the linker must not take such a copy for everybody.
#pragma once

#include <cstdint>
#include <qkvet/kernels/flash/job.hpp>
#include <utility>
#if QKVET_FLASH_BYTES == 64
#include <immintrin.h>
#endif

#if defined(__clang__)
#define QKVET_UNROLL(n) _Pragma("unroll")
#else
#define QKVET_UNROLL(n) _Pragma("GCC unroll 16")
#endif

namespace qkvet::kernels::fast::QKVET_FLASH_ISA {

template <class T>
struct Of;
template <>
struct Of<float> {
  typedef float Vec __attribute__((vector_size(QKVET_FLASH_BYTES)));
  typedef std::int32_t Int __attribute__((vector_size(QKVET_FLASH_BYTES)));
};
template <>
struct Of<double> {
  typedef double Vec __attribute__((vector_size(QKVET_FLASH_BYTES)));
  typedef std::int64_t Int __attribute__((vector_size(QKVET_FLASH_BYTES)));
};
template <class T>
using Vec = typename Of<T>::Vec;
template <class T>
using Int = typename Of<T>::Int;
template <class T>
inline constexpr int width = QKVET_FLASH_BYTES / static_cast<int>(sizeof(T));

template <class T>
inline Vec<T> load(const T* from) {
  Vec<T> x;
  __builtin_memcpy(&x, from, sizeof(x));
  return x;
}
template <class T>
inline void store(T* to, const Vec<T>& x) {
  __builtin_memcpy(to, &x, sizeof(x));
}
template <class T>
inline Vec<T> splat(T x) {
  return x - Vec<T>{};  // x - 0 is x, -0 too
}
/// Keeps x in a register. Compilers else read it from memory in every multiply-add,
/// and fuse another of two products with their sum.
template <class V>
inline void pin(V& x) {
#if defined(__x86_64__)
  asm("" : "+v"(x));
#else
  asm("" : "+w"(x));
#endif
}

template <class To, class From>
inline To cast(const From& x) {
  static_assert(sizeof(To) == sizeof(From));
  To y;
  __builtin_memcpy(&y, &x, sizeof(y));
  return y;
}

/// Transposes the square of width<T> rows: at each step, blocks of `Step` change places.
template <class T, int Step, int... L>
inline void exchange(Vec<T>* rows, std::integer_sequence<int, L...>) {
  constexpr int W = width<T>;
  QKVET_UNROLL(16)
  for (int i = 0; i < W; ++i) {
    if ((i & Step) != 0) continue;
    const Vec<T> a = rows[i], b = rows[i + Step];
    rows[i] = __builtin_shufflevector(a, b, ((L & Step) == 0 ? L : L - Step + W)...);
    rows[i + Step] = __builtin_shufflevector(a, b, ((L & Step) == 0 ? L + Step : L + W)...);
  }
}
template <class T>
inline void transpose(Vec<T>* rows) {
  constexpr int W = width<T>;
  constexpr std::make_integer_sequence<int, W> lanes{};
  exchange<T, 1>(rows, lanes);
  if constexpr (W > 2) exchange<T, 2>(rows, lanes);
  if constexpr (W > 4) exchange<T, 4>(rows, lanes);
  if constexpr (W > 8) exchange<T, 8>(rows, lanes);
}

/// c[0] + x c[1] + ... + x^(count-1) c[count-1], by Horner's rule.
template <class T, std::size_t count>
inline Vec<T> polynomial(const T (&c)[count], const Vec<T>& x) {
  Vec<T> sum = splat(c[count - 1]);
  QKVET_UNROLL(16)
  for (std::size_t n = count - 1; n > 0; --n) sum = sum * x + c[n - 1];
  return sum;
}

// 2^x on [-1/2, 1/2] by Sollya's fpminimax, relative error 2^-28 and 2^-57; c[0] is exactly 1.
inline constexpr float exp2_of_float[] = {1.0F,          0x1.62e43p-1F,  0x1.ebfbd8p-3F,
                                          0x1.c6af76p-5F, 0x1.3b30ap-7F, 0x1.5f0b82p-10F,
                                          0x1.3fa208p-13F};
inline constexpr double exp2_of_double[] = {1.0,
                                            0x1.62e42fefa39efp-1,
                                            0x1.ebfbdff82c5a6p-3,
                                            0x1.c6b08d704a12cp-5,
                                            0x1.3b2ab6fb9fda6p-7,
                                            0x1.5d87fe789e96fp-10,
                                            0x1.4309130f6cbdcp-13,
                                            0x1.ffcbfc6685efdp-17,
                                            0x1.62bfc6596b95ap-20,
                                            0x1.b52522bc19eeep-24,
                                            0x1.e61d4332c8c78p-28,
                                            0x1.e973178f84e2dp-32};

template <class T>
struct Constants;
template <>
struct Constants<float> {
  static constexpr auto& exp2 = exp2_of_float;
  static constexpr float least = -127, magic = 0x1.8p23F;
  static constexpr int bits = 23, one = 0x3f800000;
};
template <>
struct Constants<double> {
  static constexpr auto& exp2 = exp2_of_double;
  static constexpr double least = -1023, magic = 0x1.8p52;
  static constexpr int bits = 52;
  static constexpr std::int64_t one = 0x3ff0000000000000;
};

/// 2^x for x <= 0 (also to x = 64), within 1 ulp. NaN stays, -inf gives 0, exp2(0) is exactly 1.
/// Below the smallest normal number 0: processors are slow with subnormal weights.
template <class T>
inline Vec<T> exp2_of(Vec<T> x) {
  using C = Constants<T>;
#if QKVET_FLASH_BYTES == 64
  if constexpr (sizeof(T) == 4) {
    x = x < -126 ? splat(-1000.0F) : x;  // a NaN is not less
    const __m512 whole = _mm512_roundscale_ps(x, 0);
    return _mm512_scalef_ps(polynomial(C::exp2, Vec<T>(x - whole)), whole);
  }
#endif
  x = x < C::least + 1 ? splat(C::least) : x;
  const Vec<T> shifted = x + C::magic;
  const Int<T> power = (cast<Int<T>>(shifted) << C::bits) + C::one;  // 0 for `least`
  return polynomial(C::exp2, Vec<T>(x - (shifted - C::magic))) * cast<Vec<T>>(power);
}

// tanh y = y + y^3 P(y^2) for |y| <= 0.625, relative error 2^-27.
inline constexpr float tanh_small[] = {-0x1.555532p-2F, 0x1.110704p-3F, -0x1.b838ap-5F,
                                       0x1.5211c4p-6F, -0x1.758facp-8F};

/// tanh, relative error at most 5 u; odd; NaN stays.
inline Vec<float> tanh_of(const Vec<float>& y) {
  const Int<float> sign = cast<Int<float>>(y) & INT32_MIN;
  const Vec<float> size = cast<Vec<float>>(cast<Int<float>>(y) ^ sign);
  const Vec<float> square = size * size;
  const Vec<float> small = size + size * (square * polynomial(tanh_small, square));
  // 1 - 2 / (e^2y + 1), with e^-2y, which does not overflow.
  const Vec<float> inverse = exp2_of<float>(size * -2.88539008F);
  const Vec<float> large = 1 - 2 * inverse / (1 + inverse);
  const Vec<float> both = size < 0.625F ? small : large;
  return cast<Vec<float>>(cast<Int<float>>(both) | sign);
}
inline Vec<double> tanh_of(Vec<double> y) {
  for (int n = 0; n < width<double>; ++n) y[n] = tanh_of_one(y[n]);
  return y;
}

}  // namespace qkvet::kernels::fast::QKVET_FLASH_ISA
