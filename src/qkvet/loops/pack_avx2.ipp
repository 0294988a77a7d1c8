// Eight doubles in two registers of AVX2, with its fused multiply-add.
#include <immintrin.h>

namespace qkvet::loops {
namespace {

struct Pack {
  __m256d a, b;
};
struct Mask {
  __m256d a, b;
};
constexpr int tile_rows = 2;

QKVET_INLINE Pack load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
QKVET_INLINE void store(double* p, Pack x) {
  _mm256_storeu_pd(p, x.a);
  _mm256_storeu_pd(p + 4, x.b);
}
QKVET_INLINE Pack all(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
QKVET_INLINE Pack add(Pack x, Pack y) {
  return {_mm256_add_pd(x.a, y.a), _mm256_add_pd(x.b, y.b)};
}
QKVET_INLINE Pack sub(Pack x, Pack y) {
  return {_mm256_sub_pd(x.a, y.a), _mm256_sub_pd(x.b, y.b)};
}
QKVET_INLINE Pack mul(Pack x, Pack y) {
  return {_mm256_mul_pd(x.a, y.a), _mm256_mul_pd(x.b, y.b)};
}
QKVET_INLINE Pack div(Pack x, Pack y) {
  return {_mm256_div_pd(x.a, y.a), _mm256_div_pd(x.b, y.b)};
}
QKVET_INLINE Pack fma(Pack x, Pack y, Pack z) {
  return {_mm256_fmadd_pd(x.a, y.a, z.a), _mm256_fmadd_pd(x.b, y.b, z.b)};
}
QKVET_INLINE Pack max(Pack x, Pack y) {
  return {_mm256_max_pd(x.a, y.a), _mm256_max_pd(x.b, y.b)};
}
QKVET_INLINE Pack abs(Pack x) {
  const __m256d sign = _mm256_set1_pd(-0.0);
  return {_mm256_andnot_pd(sign, x.a), _mm256_andnot_pd(sign, x.b)};
}
QKVET_INLINE Mask at_least(Pack x, Pack y) {
  return {_mm256_cmp_pd(x.a, y.a, _CMP_GE_OQ), _mm256_cmp_pd(x.b, y.b, _CMP_GE_OQ)};
}
QKVET_INLINE Mask both(Mask x, Mask y) {
  return {_mm256_and_pd(x.a, y.a), _mm256_and_pd(x.b, y.b)};
}
QKVET_INLINE Pack select(Mask m, Pack yes, Pack no) {
  return {_mm256_blendv_pd(no.a, yes.a, m.a), _mm256_blendv_pd(no.b, yes.b, m.b)};
}
QKVET_INLINE __m256d power_of_half(__m256d magic) {
  const __m256i shifted = _mm256_slli_epi64(_mm256_castpd_si256(magic), 52);
  return _mm256_castsi256_pd(_mm256_add_epi64(shifted, _mm256_set1_epi64x(1023LL << 52)));
}
/// 2^k from the bits of k + 1.5 * 2^52.
QKVET_INLINE Pack power_of_two(Pack magic) {
  return {power_of_half(magic.a), power_of_half(magic.b)};
}
/// 2^floor(log2 |x|) of a normal x.
QKVET_INLINE Pack leading_power(Pack x) {
  const __m256d field = _mm256_castsi256_pd(_mm256_set1_epi64x(0x7ffLL << 52));
  return {_mm256_and_pd(x.a, field), _mm256_and_pd(x.b, field)};
}

}  // namespace
}  // namespace qkvet::loops
