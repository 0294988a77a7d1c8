// The loops of the rungs in double, compiled three times: plain C++, AVX2 and AVX-512. The same operations in
// the same order on every path, hence the same bits; which one runs is decided at run time.
#pragma once

#include <cstdint>
#include <span>

namespace qkvet::loops {

inline constexpr std::int64_t lanes = 8;         ///< doubles in a pack
inline constexpr std::int64_t key_block = 16;    ///< keys beside each other in memory
inline constexpr std::int64_t value_block = 16;  ///< columns of V beside each other in memory
inline constexpr std::int64_t chunk = 16;        ///< channels in one chain of a dot product
inline constexpr std::int64_t key_tile = 64;     ///< keys in one chain of a sum over keys
inline constexpr std::int64_t group = 32;        ///< queries that share the loads of keys and values
inline constexpr double hidden_score = -0x1p500;  ///< the score of a key that is not there
inline constexpr double flush_below = -700;        ///< where weights become 0

/// How many roundings a product meets on its way into a dot product, and into a sum over keys: one
/// for each term of its chain, its own fused with the first; then one for each further chain.
/// docs/ladder.md 2.1.
[[nodiscard]] constexpr std::int64_t roundings_of(std::int64_t terms, std::int64_t chain) {
  if (terms <= chain) return terms;
  return chain + (terms + chain - 1) / chain - 1;
}
[[nodiscard]] constexpr std::int64_t dot_roundings(std::int64_t d_k) {
  return roundings_of(d_k, chunk);
}
[[nodiscard]] constexpr std::int64_t value_roundings(std::int64_t S_pad) {
  return roundings_of(S_pad, key_tile);
}

/// What one pass over the weights of a row finds out. docs/ladder.md 3.
struct WeightSums {
  double sum;      ///< of the weights
  double spread;   ///< of weight * (z + z^2)
  double z_max;    ///< the largest z of a key that is not flushed
  double reach;    ///< the largest t + z of a flushed key
};

/// Rounding test of a row's outputs. docs/ladder.md 4.
struct RoundingTest {
  double sum;           ///< the denominator
  double alpha, beta;   ///< the error is at most alpha * value_max + beta * |o| + tau
  double tau;
  double ulp_shift;     ///< 1.5 * 2^(53 - p)
  double half_ulp;      ///< 2^-p
  double least, most;   ///< sizes of outputs for which the test is made
};

struct Kernels {
  const char* name;
  /// dots[r][j] = sum over c of q[c][r] k[j][c]. q: [d_k][group]; keys: [S_pad/16][d_k][16];
  /// dots: rows of `stride` doubles. rows <= group.
  void (*dots)(const double* q, const double* keys, std::int64_t d_k, std::int64_t S_pad,
               std::int64_t rows, std::int64_t stride, double* dots);
  /// s *= scale; z = dot_part * norm + score_part * |s|.
  void (*scale)(double* s, double* z, const double* norms, double scale, double dot_part,
                double score_part, std::int64_t S_pad);
  /// The largest of s.
  double (*largest)(const double* s, std::int64_t S_pad);
  /// s becomes exp(s - M), z (the error of s on entry) the error of the whole exponent.
  WeightSums (*weights)(double* s, double* z, double M, std::int64_t S_pad);
  /// out[r][d] = sum over j of w[r][j] V[j][d]. w: rows of `stride`; values:
  /// [d_pad/16][S_pad][16]; out: [rows][d_pad].
  void (*values)(const double* w, const double* values, std::int64_t S_pad, std::int64_t d_pad,
                 std::int64_t rows, std::int64_t stride, double* out);
  /// outputs = numerators / sum; rounded to the format where the error cannot matter, else NaN.
  void (*round)(const double* numerators, const double* value_max, const RoundingTest& test,
                std::int64_t d_pad, double* outputs, double* rounded);
  /// One row of dot products as unevaluated sums high + low. docs/ladder.md 6.
  void (*compensated_dots)(const double* q, const double* keys, std::int64_t d_k,
                           std::int64_t S_pad, double* high, double* low);
  /// One query, q: [d_k], against all keys: dots[j] = sum over c of q[c] k[j][c], and sizes[j] the
  /// same of the absolute values. docs/oracle.md 2.1.
  void (*row_dots)(const double* q, const double* keys, std::int64_t d_k, std::int64_t S_pad,
                   double* dots, double* sizes);
  /// out[d] = sum over j of w[j] V[j][d], spread[d] = sum over j of t[j] |V[j][d]|.
  /// docs/oracle.md 2.7.
  void (*row_values)(const double* w, const double* t, const double* values, std::int64_t S_pad,
                     std::int64_t d_pad, double* out, double* spread);
  /// y = exp(x) for x <= 0: relative error at most 2^-52, 0 below flush_below. docs/proofs.
  void (*exp)(const double* x, double* y, std::int64_t count);  ///< count: a multiple of 8
};

/// Every path that this processor can run; the last is the fastest.
[[nodiscard]] std::span<const Kernels* const> available_kernels();

}  // namespace qkvet::loops
