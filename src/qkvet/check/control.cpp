// Controls of weak cases: problems of the same shape and features whose values tell impostors
// apart.
#include <algorithm>
#include <cmath>
#include <qkvet/check/power.hpp>
#include <qkvet/problem/draw.hpp>

namespace qkvet {
namespace {

double gaussian_in(Choices& choices, double spread) { return spread * choices.gaussian(); }

void fill(Tensor& tensor, Choices& choices, double middle, double spread) {
  for (std::uint64_t& bits : tensor.bits) {
    bits = encode(tensor.format, middle + gaussian_in(choices, spread));
  }
}

/// Moderate biases; -inf stays, since it is a mask.
void tame_bias(Tensor& bias, Choices& choices) {
  for (std::uint64_t& bits : bias.bits) {
    const double old = decode(bias.format, bits);
    if (std::isinf(old) && old < 0) continue;
    bits = encode(bias.format, gaussian_in(choices, 1.0));
  }
}

/// Scores spread by about 2 with values around 1.5: no softmax is nearly uniform or one-hot, no
/// column is nearly constant or nearly zero on average.
void tame(Problem& p, Choices& choices) {
  const Shape& s = p.shape;
  if (p.scale && !(std::fabs(*p.scale) >= 0x1p-10 && std::fabs(*p.scale) <= 0x1p+10)) {
    p.scale = 0.5;
  }
  const double root = std::sqrt(static_cast<double>(std::max<std::int64_t>(s.d_k, 1)));
  p.q = make_tensor(p.format, {s.B, s.H_q, s.L, s.d_k});
  p.k = make_tensor(p.format, {s.B, s.H_kv, s.S, s.d_k});
  p.v = make_tensor(p.format, {s.B, s.H_kv, s.S, s.d_v});
  fill(p.q, choices, 0, 2 / (root * std::fabs(scale_value(p))));
  fill(p.k, choices, 0, 1);
  fill(p.v, choices, 1.5, 1);
  if (p.softcap > 0 && !(p.softcap >= 1 && p.softcap <= 100)) p.softcap = 5;
  if (p.mask.bias) tame_bias(*p.mask.bias, choices);
  if (p.sinks) fill(*p.sinks, choices, 0, 0.5);
  if (p.alibi_slopes) fill(*p.alibi_slopes, choices, 0.125, 0);
  p.layouts = {};
}

/// At least one row and two keys, as many of each as asked for.
void grow(Problem& p, std::int64_t L, std::int64_t S) {
  Shape& s = p.shape;
  if (s.H_kv == 0 || s.H_q == 0) s.H_q = s.H_kv = 1;
  s.B = std::max<std::int64_t>(s.B, 1);
  s.L = std::max(s.L, L);
  s.S = std::max(s.S, S);
  s.d_k = std::max<std::int64_t>(s.d_k, 1);
  s.d_v = std::max<std::int64_t>(s.d_v, 1);
  const std::int64_t heads = s.H_q;
  if (p.sinks) p.sinks = make_tensor(p.sinks->format, {heads, 1, 1, 1});
  if (p.alibi_slopes) p.alibi_slopes = make_tensor(p.alibi_slopes->format, {heads, 1, 1, 1});
}

Problem without_masks(const Problem& problem) {
  Problem p = problem;
  p.mask = {};
  grow(p, 1, 2);
  return p;
}

Problem causal_only(const Problem& problem) {
  Problem p = problem;
  const Diagonal::Kind kind = p.mask.diagonal.kind;
  p.mask = {};
  p.mask.causal = true;
  if (kind == Diagonal::Kind::bottom_right) p.mask.diagonal.kind = kind;
  const std::int64_t rows = problem.shape.L == problem.shape.S ? 3 : 2;
  grow(p, rows, 3);
  if (problem.shape.L == problem.shape.S) p.shape.L = p.shape.S;
  return p;
}

/// A boolean mask that shows row i all keys but key i mod S.
Problem boolean_only(const Problem& problem) {
  Problem p = problem;
  p.mask = {};
  grow(p, 1, 3);
  BoolMask mask{{1, 1, p.shape.L, p.shape.S}, {}};
  for (std::int64_t i = 0; i < p.shape.L; ++i) {
    for (std::int64_t j = 0; j < p.shape.S; ++j) mask.attend.push_back(j == i % p.shape.S ? 0 : 1);
  }
  p.mask.attend = mask;
  return p;
}

}  // namespace

std::vector<PlannedRun> controls(const Problem& problem, const Contract& contract) {
  std::vector<PlannedRun> runs;
  const auto offer = [&](Problem p, const char* role) {
    Choices choices = Choices::from_seed(mix(0x636f6e74726f6c));  // "control"
    tame(p, choices);
    if (!outside(contract.limits, p)) runs.push_back({std::move(p), role});
  };
  const Shape& s = problem.shape;
  if (s.outputs() > 0 && s.S > 0 && s.d_k > 0) offer(problem, "control");
  offer(without_masks(problem), "control without masks");
  if (problem.mask.causal) offer(causal_only(problem), "control, causal only");
  if (problem.mask.attend) offer(boolean_only(problem), "control, boolean mask only");
  return runs;
}

}  // namespace qkvet
