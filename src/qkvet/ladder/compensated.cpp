// Dot products as sums of two doubles, exponentials corrected by the lower one, compensated sums.
#include <algorithm>
#include <cmath>
#include <qkvet/ladder/compensated.hpp>
#include <qkvet/oracle/outward.hpp>

namespace qkvet::ladder {
namespace {

using outward::down;
using outward::gamma_up;
using outward::up;

constexpr double u = outward::u;

// a + b = sum + rest exactly (Knuth), barring overflow.
struct Pair {
  double sum, rest;
};
Pair two_sum(double a, double b) {
  const double sum = a + b, seen = sum - a;
  return {sum, (a - (sum - seen)) + (b - seen)};
}

// 1/sqrt(d_k) = high + low within 2^-98 of itself; an explicit scale is exact. docs/ladder.md 6.2
Pair scale_pair(const Problem& problem, double scale) {
  if (problem.scale) return {scale, 0};
  const auto d = static_cast<double>(problem.shape.d_k);
  const double square = scale * scale, square_rest = std::fma(scale, scale, -square);
  const double residual = std::fma(-d, square, 1.0) - d * square_rest;
  return {scale, scale * (residual / 2)};
}

}  // namespace

bool CompensatedRow::compute(const Problem& problem, const HeadBlocks& head, const FirstRows& rows,
                             const Kernels& kernels, std::int64_t b, std::int64_t h,
                             std::int64_t i, std::int64_t r) {
  if (problem.softcap > 0 || problem.alibi_slopes) return false;
  const auto n = static_cast<std::size_t>(head.S_pad);
  high_.resize(n);
  low_.resize(n);
  weight_.resize(n);
  error_.resize(n);
  kernels.compensated_dots(rows.query(r), head.keys.data(), head.d_k, head.S_pad, high_.data(),
                           low_.data());
  // Scores as pairs: docs/ladder.md 6.2.
  const Pair scale = scale_pair(problem, rows.scale());
  const double* const first = rows.weights(r);
  double M = -outward::infinity;
  for (std::size_t j = 0; j < n; ++j) {
    if (!(first[j] > 0)) continue;  // Hidden, or flushed: proved by the first rung.
    const auto key = static_cast<std::int64_t>(j);
    if (key == head.S) {
      high_[j] = problem.sinks->value(h, 0, 0, 0);
      low_[j] = 0;
    } else {
      const double x = scale.sum * high_[j], x_rest = std::fma(scale.sum, high_[j], -x);
      const double rest = x_rest + std::fma(scale.sum, low_[j], scale.rest * high_[j]);
      const Pair s = two_sum(x, bias_value(problem, b, h, i, key));
      high_[j] = s.sum;
      low_[j] = rest + s.rest;
    }
    M = std::max(M, high_[j]);
  }
  // Weights and their errors: docs/ladder.md 6.3.
  const double gamma = gamma_up(head.d_k + 8);
  const double size = up(std::fabs(rows.scale()) * rows.query_norm(r));
  const double dot_part = up(up(up(gamma * gamma) * 256) * size);
  double in[lanes], out[lanes];
  lost_ = 0;
  Pair sum{0, 0};
  for (std::size_t j = 0; j < n; j += lanes) {
    Pair t[lanes];
    for (std::size_t l = 0; l < lanes; ++l) {
      t[l] = two_sum(high_[j + l], -M);
      in[l] = first[j + l] > 0 ? t[l].sum : 2 * flush_below;
    }
    kernels.exp(in, out, lanes);
    for (std::size_t l = 0; l < lanes; ++l) {
      weight_[j + l] = error_[j + l] = 0;
      if (!(first[j + l] > 0)) continue;
      const double low = t[l].rest + low_[j + l];
      const double unknown =
          up(up(dot_part * head.norms[j + l]) +
             up(0x1p-98 * up(up(std::fabs(high_[j + l]) + std::fabs(in[l])) + 1)));
      // A weight that is tiny by the first rung may be flushed here: both are below e^-600.
      if (!(std::fabs(low) <= 0x1p-20 && unknown <= 0x1p-20)) return false;
      weight_[j + l] = std::fma(out[l], low, out[l]);
      const double relative = up(up(3 * u + up(2 * up(low * low))) + up(2 * unknown));
      error_[j + l] = up(relative * (1 + 0x1p-17));
      lost_ = up(lost_ + up(weight_[j + l] * error_[j + l]));
      const Pair next = two_sum(sum.sum, weight_[j + l]);
      sum = {next.sum, sum.rest + next.rest};
    }
  }
  sum_ = sum.sum + sum.rest;
  const double gamma_n = gamma_up(head.S_pad + 2);
  const double of_sum = up(2 * u + up(gamma_n * gamma_n));
  W_ = up(sum_ / down(1 - of_sum));
  denominator_ = down(down(sum_ * down(1 - of_sum)) - lost_);
  return denominator_ > 0 && W_ <= outward::largest;
}

Bounded CompensatedRow::output(const HeadBlocks& head, std::int64_t d) const {
  Pair numerator{0, 0};
  for (std::size_t j = 0; j < weight_.size(); ++j) {
    const double v = head.value(static_cast<std::int64_t>(j), d);
    const double product = weight_[j] * v;
    const Pair next = two_sum(numerator.sum, product);
    numerator = {next.sum, numerator.rest + (next.rest + std::fma(weight_[j], v, -product))};
  }
  const double o = (numerator.sum + numerator.rest) / sum_;
  double moved = 0, absolute = 0;
  for (std::size_t j = 0; j < weight_.size(); ++j) {
    const double v = head.value(static_cast<std::int64_t>(j), d);
    moved += weight_[j] * error_[j] * std::fabs(v - o);
    absolute += weight_[j] * std::fabs(v);
  }
  const double inflate = up(1 / down(1 - gamma_up(head.S_pad + 8)));
  const double gamma_n = gamma_up(head.S_pad + 2);
  const double size = up(std::fabs(o) * (1 + 8 * u));
  const double most = up(head.value_max[static_cast<std::size_t>(d)] + size);
  const double terms[] = {up(moved * inflate), up(up(lost_ * (4 * u)) * size),
                          up(up(static_cast<double>(head.S_pad) * 0x1p-850) * most),
                          up(up(up(gamma_n * gamma_n) * inflate) * absolute),
                          up(up(2 * u + up(gamma_n * gamma_n)) * up(W_ * size)),
                          up(2 * u * up(W_ * size)), up(static_cast<double>(head.S_pad) * 0x1p-1070)};
  double total = 0;
  for (const double term : terms) total = up(total + term);
  return {o, up(up(up(total / denominator_) + up(u * size)) + 0x1p-1070)};
}

}  // namespace qkvet::ladder
