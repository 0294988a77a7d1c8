// Eight doubles in one register of AVX-512.
#include <immintrin.h>

namespace qkvet::loops {
namespace {

using Pack = __m512d;
using Mask = __mmask8;
constexpr int tile_rows = 8;

QKVET_INLINE Pack load(const double* p) { return _mm512_loadu_pd(p); }
QKVET_INLINE void store(double* p, Pack x) { _mm512_storeu_pd(p, x); }
QKVET_INLINE Pack all(double x) { return _mm512_set1_pd(x); }
QKVET_INLINE Pack add(Pack x, Pack y) { return _mm512_add_pd(x, y); }
QKVET_INLINE Pack sub(Pack x, Pack y) { return _mm512_sub_pd(x, y); }
QKVET_INLINE Pack mul(Pack x, Pack y) { return _mm512_mul_pd(x, y); }
QKVET_INLINE Pack div(Pack x, Pack y) { return _mm512_div_pd(x, y); }
QKVET_INLINE Pack fma(Pack x, Pack y, Pack z) { return _mm512_fmadd_pd(x, y, z); }
QKVET_INLINE Pack max(Pack x, Pack y) { return _mm512_max_pd(x, y); }
QKVET_INLINE Pack abs(Pack x) {
  const __m512i rest = _mm512_set1_epi64(0x7fffffffffffffffLL);
  return _mm512_castsi512_pd(_mm512_and_si512(_mm512_castpd_si512(x), rest));
}
QKVET_INLINE Mask at_least(Pack x, Pack y) { return _mm512_cmp_pd_mask(x, y, _CMP_GE_OQ); }
QKVET_INLINE Mask both(Mask x, Mask y) { return static_cast<Mask>(x & y); }
QKVET_INLINE Pack select(Mask m, Pack yes, Pack no) { return _mm512_mask_blend_pd(m, no, yes); }
/// 2^k from the bits of k + 1.5 * 2^52.
QKVET_INLINE Pack power_of_two(Pack magic) {
  const __m512i shifted = _mm512_slli_epi64(_mm512_castpd_si512(magic), 52);
  return _mm512_castsi512_pd(_mm512_add_epi64(shifted, _mm512_set1_epi64(1023LL << 52)));
}
/// 2^floor(log2 |x|) of a normal x.
QKVET_INLINE Pack leading_power(Pack x) {
  const __m512i field = _mm512_set1_epi64(0x7ffLL << 52);
  return _mm512_castsi512_pd(_mm512_and_si512(_mm512_castpd_si512(x), field));
}

}  // namespace
}  // namespace qkvet::loops
