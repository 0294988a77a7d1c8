// Scores of one row: dot products in several orders, the scale on any side, softcap, biases, masks.
#include "scores.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace fleet {
namespace {

using qkvet::kernels::Dims;
using qkvet::kernels::RowMask;

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

float forward_dot(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

float reversed_dot(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t c = a.size(); c-- > 0;) sum += a[c] * b[c];
  return sum;
}

float lane_dot(const std::vector<float>& a, const std::vector<float>& b) {
  std::array<float, 8> lanes{};
  for (std::size_t c = 0; c < a.size(); ++c) lanes[c % 8] += a[c] * b[c];
  return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
         ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

float fused_dot(const std::vector<float>& a, const std::vector<float>& b) {
  float sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum = std::fma(a[c], b[c], sum);
  return sum;
}

float double_dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    sum += static_cast<double>(a[c]) * static_cast<double>(b[c]);
  }
  return static_cast<float>(sum);
}

/// `tail`: key j lies in a last, incomplete group of 16 keys, which has arithmetic of its own.
float dot(Dot kind, const std::vector<float>& a, const std::vector<float>& b, bool tail) {
  switch (kind) {
    case Dot::forward:
      return forward_dot(a, b);
    case Dot::reversed:
      return reversed_dot(a, b);
    case Dot::lanes:
      return lane_dot(a, b);
    case Dot::fma:
      return fused_dot(a, b);
    case Dot::tail_in_double:
      return tail ? double_dot(a, b) : forward_dot(a, b);
    case Dot::tail_fused:
      return tail ? fused_dot(a, b) : lane_dot(a, b);
  }
  return 0;
}

float tanh_of(Tanh kind, float x) {
  return kind == Tanh::libm ? std::tanh(x) : 1 - 2 / (std::exp(2 * x) + 1);
}

/// The factors of the scale: on q, on k, and after the product.
struct Factors {
  float q = 1, k = 1, after = 1;
};
Factors factors_of(const Recipe& recipe, const qkvet_args& args) {
  const auto scale = static_cast<float>(args.scale);
  Factors factors;
  switch (recipe.side) {
    case Side::after:
      factors.after = scale;
      break;
    case Side::q:
      factors.q = scale;
      break;
    case Side::k:
      factors.k = scale;
      break;
    case Side::sqrt_both:
      factors.k = std::sqrt(std::abs(scale));
      factors.q = std::copysign(factors.k, scale);
      break;
  }
  if (recipe.exp == Exp::folded && !(args.softcap > 0)) {
    // The folded constant is formed once, in f32.
    (recipe.side == Side::q   ? factors.q
     : recipe.side == Side::k ? factors.k
                              : factors.after) *= log2_e;
  }
  return factors;
}

/// Softcap in one step or three, stored as the recipe says.
float capped(const Recipe& recipe, const ToStorage& low, float x, float cap) {
  const bool each = recipe.scores == Stored::each_step;
  float y = x / cap;
  if (each) y = low(y);
  y = tanh_of(recipe.tanh, y);
  if (each) y = low(y);
  y = cap * y;
  return recipe.scores == Stored::none ? y : low(y);
}

float hidden_score(Hidden kind) {
  return kind == Hidden::finfo_min ? -std::numeric_limits<float>::max() : minus_infinity;
}

}  // namespace

Scores scores_of_row(const Recipe& recipe, const Inputs& inputs, std::int64_t b, std::int64_t h,
                     std::int64_t i) {
  const qkvet_args& args = inputs.args;
  const Dims& dims = inputs.dims;
  const ToStorage& low = inputs.low;
  const bool stores = recipe.scores != Stored::none;
  const bool twice = stores && recipe.scores != Stored::once;
  const bool biased =
      args.alibi_slopes != nullptr || (args.mask != nullptr && args.mask->bias != nullptr);
  const RowMask mask(args, b, h, i);
  const Factors factors = factors_of(recipe, args);
  const auto cap = static_cast<float>(args.softcap);
  const float unit = in_base_two(recipe) ? log2_e : 1.0F;
  const bool folded = recipe.exp == Exp::folded && !(cap > 0);
  const std::int64_t whole = dims.S - dims.S % 16;

  std::vector<float> query(static_cast<std::size_t>(dims.d_k)), key(query.size());
  for (std::int64_t c = 0; c < dims.d_k; ++c) {
    const float x = inputs.q(b, h, i, c) * factors.q;
    query[static_cast<std::size_t>(c)] = recipe.scaled_low ? low(x) : x;
  }
  Scores scores;
  scores.sink = static_cast<float>(qkvet::kernels::sink_of(args, h)) * unit;
  for (std::int64_t j = 0; j < dims.S; ++j) {
    const bool shown = mask.visible(j);
    scores.shown.push_back(shown ? 1 : 0);
    if (!shown) {
      scores.value.push_back(hidden_score(recipe.hidden));
      continue;
    }
    scores.empty = false;
    for (std::int64_t c = 0; c < dims.d_k; ++c) {
      const float x = inputs.k(b, h / (dims.H_q / dims.H_kv), j, c) * factors.k;
      key[static_cast<std::size_t>(c)] = recipe.scaled_low ? low(x) : x;
    }
    float x = dot(recipe.dot, query, key, j >= whole);
    if (twice) x = low(x);
    x *= factors.after;
    if (stores) x = low(x);
    if (cap > 0) x = capped(recipe, low, x, cap);
    if (!folded) x *= unit;
    if (biased) x += static_cast<float>(mask.bias(j)) * unit;
    scores.value.push_back(stores ? low(x) : x);
  }
  return scores;
}

}  // namespace fleet
