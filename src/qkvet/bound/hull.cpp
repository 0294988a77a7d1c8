// Bounds that need no oracle: outputs of constant values, and a bound on the scores from the inputs
// alone. docs/bounds.md 5.3
#include <algorithm>
#include <cmath>
#include <qkvet/bound/admissible.hpp>
#include <qkvet/bound/row_bound.hpp>
#include <qkvet/num/float_environment.hpp>

namespace qkvet {
namespace {

Mag size_of(double x) { return std::isfinite(x) ? Mag{std::fabs(x)} : Mag::infinity(); }

}  // namespace

bound::Uncentred bound::uncentred(const Letters& l, Mag size, bool sink) {
  Uncentred out;
  // Computed scores may be larger than exact ones by their own roundings.
  size = size * (Mag{1.0} + l.dot_error) * (Mag{1.0} + gamma(Mag{16.0} * l.u_S)) *
         (Mag{1.0} + gamma(Mag{l.words.score_stores + l.words.cap_stores + 3.0} * l.u_st));
  const Mag log_n = mag_log(l.n);
  const Mag tau = sink && l.late_sink ? max(l.tau, Mag{2.0} * size) : l.tau;
  // |lse| <= size + ln n, and the constant's error acts on scores of that size.
  if (l.merges) {
    out.ell = l.u_S * (l.n_lse * (size + Mag{3.0} * log_n) + Mag{2.0}) +
              l.eps_log * (Mag{2.0} * (log_n + Mag{1.0}) + tau) + l.eps_c * size;
  }
  if (l.fused) out.z = gamma(Mag{l.words.score_rounds + 1} * l.u_S) * size;
  out.z += Mag{l.drifts} * l.u_S * (size + tau);
  out.top = l.scale_P * mag_exp((l.tau + Mag{2.0} * out.z).value()) * (Mag{1.0} + l.eps_exp);
  return out;
}

double constant_radius(const Arithmetic& arithmetic, const Shape& shape, std::int64_t n,
                       double magnitude, double score_size, bool sink) {
  const DefaultFloatEnvironment environment;
  const bound::Letters l = bound::letters_of(arithmetic, shape, n);
  const bound::Uncentred u = bound::uncentred(l, Mag{score_size}, sink);
  const Mag outside = bound::hull_excess(l, Mag{magnitude}, Mag{1.0}, u.ell, u.z, l.tau);
  return bound::stored(l, outside, Mag{magnitude}, Mag{1.0}).value();
}

double score_size(const Problem& problem, std::int64_t b, std::int64_t h, std::int64_t i) {
  const DefaultFloatEnvironment environment;
  const Shape& shape = problem.shape;
  const std::int64_t head = shape.kv_head(h);
  const Mag scale{detail::above(std::fabs(scale_value(problem)))};
  const std::int64_t offset = diagonal_offset(problem, b);
  Mag size;
  for (std::int64_t j = 0; j < shape.S; ++j) {
    if (!visible(problem, b, h, i, j)) {
      // A bias of -inf inside a softcap is a score of -cap.
      if (problem.softcap > 0 && visible_without_bias(problem, b, h, i, j)) {
        size = max(size, Mag{problem.softcap});
      }
      continue;
    }
    Mag dot;
    for (std::int64_t c = 0; c < shape.d_k; ++c) {
      dot += size_of(problem.q.value(b, h, i, c)) * size_of(problem.k.value(b, head, j, c));
    }
    Mag score = scale * dot;
    const double bias = bias_value(problem, b, h, i, j);
    if (!(bias < -std::numeric_limits<double>::max())) score += size_of(bias);
    if (problem.alibi_slopes) {
      score += size_of(problem.alibi_slopes->value(h, 0, 0, 0)) *
               Mag{std::fabs(static_cast<double>(i + offset - j))};
    }
    size = max(size, score);
  }
  if (has_sink(problem, h)) size = max(size, size_of(problem.sinks->value(h, 0, 0, 0)));
  return size.value();
}

}  // namespace qkvet
