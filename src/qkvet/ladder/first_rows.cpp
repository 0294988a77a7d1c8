// Scores, weights and numerators of the first rung; each step names its section of docs/ladder.md.
#include <algorithm>
#include <cmath>
#include <qkvet/ladder/first_rows.hpp>
#include <qkvet/oracle/outward.hpp>

namespace qkvet::ladder {
namespace {

using outward::down;
using outward::gamma_up;
using outward::up;

constexpr double u = outward::u;
// What is multiplied into the factors of a nonnegative sum of a few products so that it stays an
// upper bound when it is evaluated in double: at most 7 roundings. docs/ladder.md 2.4
constexpr double raise = 1 + 0x1p-50;
constexpr double flushed = 0x1p-860;  // > exp(-599): docs/ladder.md 3.3

}  // namespace

FirstRows::FirstRows(const Problem& problem, const Semantics& semantics, const Kernels& kernels)
    : problem_(problem),
      semantics_(semantics),
      kernels_(kernels),
      scale_(problem.scale ? *problem.scale
                           : 1 / std::sqrt(static_cast<double>(problem.shape.d_k))),
      scale_error_(problem.scale ? 0 : 4 * u),  // docs/oracle.md 2.2, of sigma^ too
      masked_(problem.mask.causal || problem.mask.window || problem.mask.key_range ||
              problem.mask.attend || problem.mask.bias),
      featured_(problem.softcap > 0 || problem.mask.bias || problem.alibi_slopes) {}

void FirstRows::read_query(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t r) {
  const std::size_t from = problem_.q.index(b, h, i, 0);
  double squares = 0;
  bool finite = true;
  for (std::int64_t c = 0; c < problem_.shape.d_k; ++c) {
    const double x = decode(problem_.format, problem_.q.bits[from + static_cast<std::size_t>(c)]);
    finite = finite && std::isfinite(x);
    q_[static_cast<std::size_t>(c * group + r)] = std::isfinite(x) ? x : 0;
    squares += x * x;
  }
  finite_[static_cast<std::size_t>(r)] = finite;
  q_norm_[static_cast<std::size_t>(r)] = norm_up(squares, outward::SumError(problem_.shape.d_k));
}

void FirstRows::compute(const HeadBlocks& head, std::int64_t b, std::int64_t h, std::int64_t i,
                        std::int64_t count) {
  const auto rows = static_cast<std::size_t>(group);
  stride_ = head.S_pad + 8;  // Rows a power of two apart would fall on the same cache lines.
  d_pad_ = head.d_pad;
  q_.resize(rows * static_cast<std::size_t>(head.d_k) + rows);
  s_.resize(rows * static_cast<std::size_t>(stride_));
  z_.resize(s_.size());
  out_.resize(rows * static_cast<std::size_t>(d_pad_));
  q_norm_.resize(rows);
  shift_.resize(rows);
  visible_.resize(rows);
  finite_.resize(rows);
  errors_.resize(rows);
  for (std::int64_t r = 0; r < count; ++r) read_query(b, h, i + r, r);
  kernels_.dots(q_.data(), head.keys.data(), head.d_k, head.S_pad, count, stride_, s_.data());
  for (std::int64_t r = 0; r < count; ++r) {
    scores(head, b, h, i + r, r);
    sum_up(head, r);
  }
  kernels_.values(s_.data(), head.values.data(), head.S_pad, head.d_pad, count, stride_,
                  out_.data());
}

// docs/ladder.md 2.1, 2.2
void FirstRows::scores(const HeadBlocks& head, std::int64_t b, std::int64_t h, std::int64_t i,
                       std::int64_t r) {
  const double relative = up(gamma_up(dot_roundings(head.d_k)) + scale_error_);
  const double size = up(std::fabs(scale_) * query_norm(r));
  double* const s = s_.data() + r * stride_;
  double* const z = z_.data() + r * stride_;
  kernels_.scale(s, z, head.norms.data(), scale_, size * relative * raise, u * raise, head.S_pad);
  if (featured_) features(b, h, i, r);
  hide(head, b, h, i, r);
}

// Softcap, bias and ALiBi: docs/ladder.md 2.3
void FirstRows::features(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t r) {
  double* const s = s_.data() + r * stride_;
  double* const z = z_.data() + r * stride_;
  const double cap = problem_.softcap;
  const bool cap_last = semantics_.cap_order == Semantics::CapOrder::bias_then_cap;
  const auto apply_cap = [&](double& score, double& error) {
    const Interval c = outward::capped(outward::point(score), cap);
    score = c.mid();
    error = up(error + up(c.hi - c.lo));
  };
  const auto add = [&](double& score, double& error, double term) {
    score += term;
    error = up(error + up(u * std::fabs(score)));
  };
  const std::int64_t offset = problem_.alibi_slopes ? diagonal_offset(problem_, b) : 0;
  const double slope = problem_.alibi_slopes ? problem_.alibi_slopes->value(h, 0, 0, 0) : 0;
  constexpr std::int64_t exact = std::int64_t{1} << 52;
  for (std::int64_t j = 0; j < problem_.shape.S; ++j) {
    if (cap > 0 && !cap_last) apply_cap(s[j], z[j]);
    if (problem_.mask.bias) {
      const double bias = bias_value(problem_, b, h, i, j);
      if (cap > 0 && cap_last && bias < -outward::largest) {  // C(-inf) = -cap, exactly
        s[j] = -cap;
        z[j] = 0;
        continue;
      }
      if (!(bias < -outward::largest)) add(s[j], z[j], bias);
    }
    if (problem_.alibi_slopes) {
      if (!(-exact <= offset && offset <= exact)) z[j] = outward::infinity;
      const double term = -slope * std::fabs(static_cast<double>(i - j) + static_cast<double>(offset));
      z[j] = up(z[j] + up(u * std::fabs(term)) );
      add(s[j], z[j], term);
    }
    if (cap > 0 && cap_last) apply_cap(s[j], z[j]);
  }
}

// Hidden keys and padding get a score whose weight is 0; the sink stands behind the keys.
void FirstRows::hide(const HeadBlocks& head, std::int64_t b, std::int64_t h, std::int64_t i,
                     std::int64_t r) {
  double* const s = s_.data() + r * stride_;
  double* const z = z_.data() + r * stride_;
  std::int64_t shown = head.S;
  if (masked_) {
    const bool hides = infinite_bias_hides(problem_, semantics_);
    shown = 0;
    for (std::int64_t j = 0; j < head.S; ++j) {
      const bool sees =
          hides ? visible(problem_, b, h, i, j) : visible_without_bias(problem_, b, h, i, j);
      shown += sees ? 1 : 0;
      if (sees) continue;
      s[j] = hidden_score;
      z[j] = 0;
    }
  }
  for (std::int64_t j = head.S; j < head.S_pad; ++j) {
    s[j] = hidden_score;
    z[j] = 0;
  }
  if (has_sink(problem_, h)) s[head.S] = problem_.sinks->value(h, 0, 0, 0);
  visible_[static_cast<std::size_t>(r)] = shown;
}

// Weights, and from their sums the error of every output of the row: docs/ladder.md 3
void FirstRows::sum_up(const HeadBlocks& head, std::int64_t r) {
  RowError& e = errors_[static_cast<std::size_t>(r)];
  e = {};
  double* const s = s_.data() + r * stride_;
  const double M = kernels_.largest(s, head.S_pad);
  shift_[static_cast<std::size_t>(r)] = M;
  const WeightSums sums = kernels_.weights(s, z_.data() + r * stride_, M, head.S_pad);
  // The condition of 3.1 on underflow, then those of 3.2 and 3.3; a NaN fails one of them.
  const double underflow = up(std::fabs(scale_) * static_cast<double>(head.d_k + 1));
  if (!(underflow <= 0x1p900) || !(M >= -0x1p400 && M <= 0x1p400)) return;
  if (!(sums.z_max <= 1 && sums.reach <= -600 && sums.sum <= outward::largest)) return;
  const double n = static_cast<double>(head.S_pad);
  const std::int64_t tiles = (head.S_pad + key_tile - 1) / key_tile;
  e.gamma_sum = gamma_up(key_tile / lanes + tiles + 3);
  e.gamma_value = gamma_up(value_roundings(head.S_pad));
  e.sum = sums.sum;
  e.W = up(sums.sum / down(1 - e.gamma_sum));
  const double least_W = down(sums.sum * down(1 - e.gamma_sum));
  const double spread = up(sums.spread / down(1 - gamma_up(head.S_pad / lanes + 8)));
  const double of_exp = up(3 * 0x1p-52 * e.W);
  e.lost = up(up(spread + of_exp) + up(n * flushed));
  e.denominator = down(least_W - up(spread + of_exp));
  if (!(e.denominator > 0 && e.lost <= outward::largest)) return;
  const double alpha = up(up(e.lost + up(e.gamma_value * e.W)) / e.denominator);
  const double beta = up(up(e.lost + up(e.gamma_sum * e.W)) / e.denominator);
  e.alpha = alpha * raise;
  e.beta = up(up(beta * (1 + 4 * u)) + u) * raise;
  e.tau = up(up(n * 0x1p-1070) / e.denominator) + 0x1p-1070;
  e.usable = true;
}

}  // namespace qkvet::ladder
