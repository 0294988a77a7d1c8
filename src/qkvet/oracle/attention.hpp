// The definition of attention for one query, pass by pass, over any number type: the page to read
// first. On double it is what a student would write; on balls it is the reference (docs/oracle.md 1
// and 4).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <qkvet/contract/contract.hpp>
#include <qkvet/oracle/sabotage.hpp>
#include <qkvet/problem/problem.hpp>
#include <span>
#include <vector>

namespace qkvet {

/// One query: batch entry b, query head h, row i.
struct Query {
  std::int64_t b = 0, h = 0, i = 0;
};

/// Looks at (and in tests spoils) the result of each pass; the default does nothing.
struct NoWatch {
  template <class Number>
  void operator()(Pass, std::span<Number>) const {}
};

/// Pass 1: dot_j = sum_c q_c k_jc, for each of `keys`.
template <class Number>
[[nodiscard]] std::vector<Number> dot_products(const Problem& problem, const Query& at,
                                               std::span<const std::int64_t> keys) {
  const std::int64_t kv_head = problem.shape.kv_head(at.h);
  std::vector<Number> query;
  for (std::int64_t c = 0; c < problem.shape.d_k; ++c) {
    query.push_back(Number(problem.q.value(at.b, at.h, at.i, c)));
  }
  std::vector<Number> dots;
  for (const std::int64_t j : keys) {
    Number dot = Number(0.0);
    for (std::int64_t c = 0; c < problem.shape.d_k; ++c) {
      dot += query[static_cast<std::size_t>(c)] * Number(problem.k.value(at.b, kv_head, j, c));
    }
    dots.push_back(dot);
  }
  return dots;
}

/// The scale: as given, or exactly 1 / sqrt(d_k).
template <class Number>
[[nodiscard]] Number scale_of(const Problem& problem) {
  using std::sqrt;
  if (problem.scale) return Number(*problem.scale);
  return Number(1.0) / sqrt(Number(problem.shape.d_k));
}

/// Pass 2: x_j = scale * dot_j.
template <class Number>
void apply_scale(const Number& scale, std::span<Number> dots) {
  for (Number& x : dots) x *= scale;
}

/// Pass 3: x -> cap tanh(x / cap).
template <class Number>
void apply_softcap(double softcap, std::span<Number> scores) {
  using std::tanh;
  const Number cap = Number(softcap);
  for (Number& x : scores) x = cap * tanh(x / cap);
}

/// Pass 4: the additive bias of each key, minus slope * (distance from the diagonal).
template <class Number>
[[nodiscard]] std::vector<Number> biases(const Problem& problem, const Query& at,
                                         std::span<const std::int64_t> keys) {
  using std::abs;
  std::vector<Number> result;
  for (const std::int64_t j : keys) {
    Number bias = Number(bias_value(problem, at.b, at.h, at.i, j));
    if (problem.alibi_slopes) {
      const Number slope = Number(problem.alibi_slopes->value(at.h, 0, 0, 0));
      const Number distance =
          abs(Number(at.i) + Number(diagonal_offset(problem, at.b)) - Number(j));
      bias = bias - slope * distance;
    }
    result.push_back(bias);
  }
  return result;
}

/// Scores of `keys` from x = scale * dot: cap(x) + bias, or cap(x + bias).
/// Requires: biases are finite.
template <class Number, class Watch = NoWatch>
[[nodiscard]] std::vector<Number> scores(const Problem& problem, const Semantics& semantics,
                                         std::span<const Number> x, std::span<const Number> bias,
                                         Watch watch = {}) {
  std::vector<Number> result(x.begin(), x.end());
  const bool cap = problem.softcap > 0;
  const bool cap_first = semantics.cap_order == Semantics::CapOrder::cap_then_bias;
  if (cap && cap_first) apply_softcap<Number>(problem.softcap, result);
  if (cap_first) watch(Pass::cap, std::span<Number>(result));
  for (std::size_t n = 0; n < result.size(); ++n) result[n] += bias[n];
  if (cap && !cap_first) apply_softcap<Number>(problem.softcap, result);
  if (!cap_first) watch(Pass::cap, std::span<Number>(result));
  return result;
}

/// What softmax makes of a row of scores.
template <class Number>
struct Softmax {
  Number max, sum, lse;         ///< m, sum_j exp(s_j - m), m + ln(sum)
  std::vector<Number> weights;  ///< p_j
};

/// Passes 5 to 8: the maximum, exponentials, their sum, weights. Requires: at least one score.
template <class Number, class Watch = NoWatch>
[[nodiscard]] Softmax<Number> softmax(std::span<const Number> scores, Watch watch = {}) {
  using std::exp, std::log, std::max;
  Softmax<Number> result;
  result.max = scores[0];
  for (const Number& s : scores) result.max = max(result.max, s);
  std::vector<Number>& weights = result.weights;
  for (const Number& s : scores) weights.push_back(s - result.max);
  watch(Pass::shift, std::span<Number>(weights));
  for (Number& w : weights) w = exp(w);
  watch(Pass::exp, std::span<Number>(weights));
  result.sum = Number(0.0);
  for (const Number& w : weights) result.sum += w;
  watch(Pass::sum, std::span<Number>(&result.sum, 1));
  for (Number& w : weights) w = w / result.sum;
  watch(Pass::weight, std::span<Number>(weights));
  result.lse = result.max + log(result.sum);
  return result;
}

/// Pass 9: o_d = sum_j p_j V_jd. A column with a nonfinite value among `keys` has no output: `skip`
/// names it.
template <class Number>
[[nodiscard]] std::vector<Number> outputs(const Problem& problem, const Query& at,
                                          std::span<const std::int64_t> keys,
                                          std::span<const Number> weights,
                                          const std::vector<bool>& skip) {
  const std::int64_t kv_head = problem.shape.kv_head(at.h);
  std::vector<Number> result;
  for (std::int64_t d = 0; d < problem.shape.d_v; ++d) {
    Number o = Number(0.0);
    for (std::size_t n = 0; n < keys.size() && !skip[static_cast<std::size_t>(d)]; ++n) {
      o += weights[n] * Number(problem.v.value(at.b, kv_head, keys[n], d));
    }
    result.push_back(o);
  }
  return result;
}

/// All of it for a row of finite inputs with at least one visible key and no sink: the definition.
template <class Number>
struct AttentionRow {
  std::vector<std::int64_t> keys;  ///< the visible ones
  std::vector<Number> scores;
  Softmax<Number> softmax;
  std::vector<Number> o;
};

template <class Number>
[[nodiscard]] AttentionRow<Number> attention(const Problem& problem, const Semantics& semantics,
                                             const Query& at) {
  AttentionRow<Number> row;
  for (std::int64_t j = 0; j < problem.shape.S; ++j) {
    if (visible(problem, at.b, at.h, at.i, j)) row.keys.push_back(j);
  }
  std::vector<Number> x = dot_products<Number>(problem, at, row.keys);
  apply_scale<Number>(scale_of<Number>(problem), x);
  const std::vector<Number> bias = biases<Number>(problem, at, row.keys);
  row.scores = scores<Number>(problem, semantics, x, bias);
  row.softmax = softmax<Number>(row.scores);
  const std::vector<bool> skip(static_cast<std::size_t>(problem.shape.d_v), false);
  row.o = outputs<Number>(problem, at, row.keys, row.softmax.weights, skip);
  return row;
}

}  // namespace qkvet
