// Eight doubles as an array: the path for every processor. __builtin_fma is one rounding by
// definition, whether the processor has it or the C library computes it.
namespace qkvet::loops {
namespace {

struct Pack {
  double x[8];
};
struct Mask {
  bool x[8];
};
constexpr int tile_rows = 2;

template <class F>
QKVET_INLINE Pack each(F f) {
  Pack r;
  for (int n = 0; n < 8; ++n) r.x[n] = f(n);
  return r;
}
QKVET_INLINE Pack load(const double* p) {
  return each([&](int n) { return p[n]; });
}
QKVET_INLINE void store(double* p, const Pack& a) {
  for (int n = 0; n < 8; ++n) p[n] = a.x[n];
}
QKVET_INLINE Pack all(double x) {
  return each([&](int) { return x; });
}
QKVET_INLINE Pack add(const Pack& a, const Pack& b) {
  return each([&](int n) { return a.x[n] + b.x[n]; });
}
QKVET_INLINE Pack sub(const Pack& a, const Pack& b) {
  return each([&](int n) { return a.x[n] - b.x[n]; });
}
QKVET_INLINE Pack mul(const Pack& a, const Pack& b) {
  return each([&](int n) { return a.x[n] * b.x[n]; });
}
QKVET_INLINE Pack div(const Pack& a, const Pack& b) {
  return each([&](int n) { return a.x[n] / b.x[n]; });
}
QKVET_INLINE Pack fma(const Pack& a, const Pack& b, const Pack& c) {
  return each([&](int n) { return __builtin_fma(a.x[n], b.x[n], c.x[n]); });
}
QKVET_INLINE Pack max(const Pack& a, const Pack& b) {  // as vmaxpd: b if either is NaN
  return each([&](int n) { return a.x[n] > b.x[n] ? a.x[n] : b.x[n]; });
}
QKVET_INLINE Pack abs(const Pack& a) {
  return each([&](int n) { return __builtin_fabs(a.x[n]); });
}
QKVET_INLINE Mask at_least(const Pack& a, const Pack& b) {
  Mask m;
  for (int n = 0; n < 8; ++n) m.x[n] = a.x[n] >= b.x[n];
  return m;
}
QKVET_INLINE Mask both(const Mask& a, const Mask& b) {
  Mask m;
  for (int n = 0; n < 8; ++n) m.x[n] = a.x[n] && b.x[n];
  return m;
}
QKVET_INLINE Pack select(const Mask& m, const Pack& yes, const Pack& no) {
  return each([&](int n) { return m.x[n] ? yes.x[n] : no.x[n]; });
}
QKVET_INLINE double from_bits(unsigned long long bits) { return __builtin_bit_cast(double, bits); }
QKVET_INLINE unsigned long long to_bits(double x) {
  return __builtin_bit_cast(unsigned long long, x);
}
/// 2^k from the bits of k + 1.5 * 2^52.
QKVET_INLINE Pack power_of_two(const Pack& magic) {
  return each(
      [&](int n) { return from_bits((to_bits(magic.x[n]) << 52) + (1023ULL << 52)); });
}
/// 2^floor(log2 |x|) of a normal x.
QKVET_INLINE Pack leading_power(const Pack& a) {
  return each([&](int n) { return from_bits(to_bits(a.x[n]) & (0x7ffULL << 52)); });
}

}  // namespace
}  // namespace qkvet::loops
