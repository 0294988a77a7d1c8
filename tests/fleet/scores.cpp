// Scores of one row: dot products in several orders, the scale on any side, softcap, biases, masks.
#include "scores.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "../support/matrix_units.hpp"

namespace fleet {
namespace {

using qkvet::kernels::Dims;
using qkvet::kernels::RowMask;

template <class Real>
using Line = std::vector<Real>;

template <class Real>
Real forward_dot(const Line<Real>& a, const Line<Real>& b) {
  Real sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

template <class Real>
Real reversed_dot(const Line<Real>& a, const Line<Real>& b) {
  Real sum = 0;
  for (std::size_t c = a.size(); c-- > 0;) sum += a[c] * b[c];
  return sum;
}

template <std::size_t count, class Real>
Real lane_dot(const Line<Real>& a, const Line<Real>& b) {
  std::array<Real, count> lanes{};
  for (std::size_t c = 0; c < a.size(); ++c) lanes[c % count] += a[c] * b[c];
  for (std::size_t left = count / 2; left > 0; left /= 2) {
    for (std::size_t n = 0; n < left; ++n) lanes[n] = lanes[2 * n] + lanes[2 * n + 1];
  }
  return lanes[0];
}

template <class Real>
Real fused_dot(const Line<Real>& a, const Line<Real>& b) {
  Real sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum = std::fma(a[c], b[c], sum);
  return sum;
}

template <class Real>
Real wider_dot(const Line<Real>& a, const Line<Real>& b) {
  using Wide = std::conditional_t<std::is_same_v<Real, double>, long double, double>;
  Wide sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    sum += static_cast<Wide>(a[c]) * static_cast<Wide>(b[c]);
  }
  return static_cast<Real>(sum);
}

/// On a matrix unit that takes `terms` products at once.
template <class Real>
Real block_dot(const Line<Real>& a, const Line<Real>& b, int terms) {
  std::vector<double> products;
  for (std::size_t c = 0; c < a.size(); ++c) {
    products.push_back(static_cast<double>(a[c]) * static_cast<double>(b[c]));
  }
  return static_cast<Real>(qkvet::test::block_sum(products, static_cast<std::size_t>(terms)));
}

/// `tail`: key j lies in a last, incomplete group of 16 keys, which has arithmetic of its own.
template <class Real>
Real dot(const Recipe& recipe, const Line<Real>& a, const Line<Real>& b, bool tail) {
  if (recipe.adder_terms > 1) return block_dot(a, b, recipe.adder_terms);
  switch (recipe.dot) {
    case Dot::forward:
      return forward_dot(a, b);
    case Dot::reversed:
      return reversed_dot(a, b);
    case Dot::lanes:
      return lane_dot<8>(a, b);
    case Dot::lanes_16:
      return lane_dot<16>(a, b);
    case Dot::fma:
      return fused_dot(a, b);
    case Dot::tail_in_double:
      return tail ? wider_dot(a, b) : forward_dot(a, b);
    case Dot::tail_fused:
      return tail ? fused_dot(a, b) : lane_dot<8>(a, b);
  }
  return 0;
}

template <class Real>
Real tanh_of(Tanh kind, Real x) {
  return kind == Tanh::libm ? std::tanh(x) : 1 - 2 / (std::exp(2 * x) + 1);
}

/// The factors of the scale: on q, on k, and after the product.
template <class Real>
struct Factors {
  Real q = 1, k = 1, after = 1;
};
template <class Real>
Factors<Real> factors_of(const Recipe& recipe, const qkvet_args& args) {
  const auto scale = static_cast<Real>(args.scale);
  Factors<Real> factors;
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
    // The folded constant is formed once.
    (recipe.side == Side::q   ? factors.q
     : recipe.side == Side::k ? factors.k
                              : factors.after) *= log2_e<Real>;
  }
  return factors;
}

/// Softcap in one step or three, stored as the recipe says.
template <class Real>
Real capped(const Recipe& recipe, const ToStorage<Real>& low, Real x, Real cap) {
  const bool each = recipe.scores == Stored::each_step;
  Real y = x / cap;
  if (each) y = low(y);
  y = tanh_of(recipe.tanh, y);
  if (each) y = low(y);
  y = cap * y;
  return recipe.scores == Stored::none ? y : low(y);
}

template <class Real>
Real hidden_score(Hidden kind) {
  using Limits = std::numeric_limits<Real>;
  return kind == Hidden::finfo_min ? -Limits::max() : -Limits::infinity();
}

}  // namespace

template <class Real>
Scores<Real> scores_of_row(const Recipe& recipe, const Inputs<Real>& inputs, std::int64_t b,
                           std::int64_t h, std::int64_t i) {
  const qkvet_args& args = inputs.args;
  const Dims& dims = inputs.dims;
  const ToStorage<Real>& low = inputs.low;
  const bool stores = recipe.scores != Stored::none;
  const bool twice = stores && recipe.scores != Stored::once;
  const bool biased =
      args.alibi_slopes != nullptr || (args.mask != nullptr && args.mask->bias != nullptr);
  const RowMask mask(args, b, h, i);
  const Factors<Real> factors = factors_of<Real>(recipe, args);
  const auto cap = static_cast<Real>(args.softcap);
  const Real unit = in_base_two(recipe) ? log2_e<Real> : Real{1};
  const bool folded = recipe.exp == Exp::folded && !(cap > 0);
  const std::int64_t whole = dims.S - dims.S % 16;

  Line<Real> query(static_cast<std::size_t>(dims.d_k)), key(query.size());
  for (std::int64_t c = 0; c < dims.d_k; ++c) {
    const Real x = inputs.q(b, h, i, c) * factors.q;
    query[static_cast<std::size_t>(c)] = operand(recipe.operands, recipe.scaled_low ? low(x) : x);
  }
  Scores<Real> scores;
  scores.sink = static_cast<Real>(qkvet::kernels::sink_of(args, h)) * unit;
  for (std::int64_t j = 0; j < dims.S; ++j) {
    const bool shown = mask.visible(j);
    scores.shown.push_back(shown ? 1 : 0);
    if (!shown) {
      scores.value.push_back(hidden_score<Real>(recipe.hidden));
      continue;
    }
    scores.empty = false;
    for (std::int64_t c = 0; c < dims.d_k; ++c) {
      const Real x = inputs.k(b, h / (dims.H_q / dims.H_kv), j, c) * factors.k;
      key[static_cast<std::size_t>(c)] = operand(recipe.operands, recipe.scaled_low ? low(x) : x);
    }
    Real x = dot(recipe, query, key, j >= whole);
    if (twice) x = low(x);
    x *= factors.after;
    if (stores) x = low(x);
    if (cap > 0) x = capped(recipe, low, x, cap);
    if (!folded) x *= unit;
    if (biased) x += static_cast<Real>(mask.bias(j)) * unit;
    scores.value.push_back(stores ? low(x) : x);
  }
  return scores;
}

template Scores<float> scores_of_row(const Recipe&, const Inputs<float>&, std::int64_t,
                                     std::int64_t, std::int64_t);
template Scores<double> scores_of_row(const Recipe&, const Inputs<double>&, std::int64_t,
                                      std::int64_t, std::int64_t);

}  // namespace fleet
