// Softmax and the product with V over ranges of keys, in the ways that the recipes name.
#include "softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <qkvet/problem/draw.hpp>
#include <type_traits>

#include "../support/matrix_units.hpp"

namespace fleet {
namespace {

template <class Real>
constexpr Real minus_infinity = -std::numeric_limits<Real>::infinity();

std::size_t at(std::int64_t j) { return static_cast<std::size_t>(j); }

/// exp by the kernel's own reduction and Taylor polynomial: exp(0) = 1, and an error below 3 u
/// (1 of the last sum, 2.1 |r| of the one before and so on, 0.1 of the polynomial, 0.5 |r| of r).
template <class Real>
Real polynomial_exp(Real x) {
  constexpr bool is_double = std::is_same_v<Real, double>;
  // ln 2 in two parts; the first has so few bits that its multiples are exact.
  constexpr Real high = is_double ? static_cast<Real>(0x1.62e42feep-1) : static_cast<Real>(0x1.62e3p-1);
  constexpr Real low = is_double ? static_cast<Real>(0x1.a39ef35793c76p-33)
                                 : static_cast<Real>(0x1.2fefa2p-17);
  constexpr Real far = is_double ? 700 : 88;  // n * high is exact up to here
  if (!(std::fabs(x) < far)) return std::exp(x);
  const Real n = std::nearbyint(x * log2_e<Real>);
  const Real r = (x - n * high) - n * low;
  Real sum = 1;
  for (int k = is_double ? 13 : 7; k > 0; --k) sum = 1 + r * sum / static_cast<Real>(k);
  return std::ldexp(sum, static_cast<int>(n));
}

/// Sum of term(first..last) by halves.
template <class Real, class Term>
Real pairwise(std::size_t first, std::size_t last, const Term& term) {
  if (first == last) return 0;
  if (last - first == 1) return term(first);
  const std::size_t middle = first + (last - first) / 2;
  return pairwise<Real>(first, middle, term) + pairwise<Real>(middle, last, term);
}

}  // namespace

template <class Real>
Softmax<Real>::Softmax(const Recipe& recipe, const Scores<Real>& scores,
                       const Inputs<Real>& inputs, std::int64_t b, std::int64_t g)
    : recipe_(recipe),
      scores_(scores),
      inputs_(inputs),
      b_(b),
      g_(g),
      d_v_(inputs.dims.d_v),
      S_(inputs.dims.S) {}

template <class Real>
Real Softmax<Real>::held(Real weight) const {
  if (recipe_.narrow != Narrow::no) {
    return in_eight_bits(recipe_.narrow, weight * static_cast<Real>(recipe_.narrow_scale));
  }
  return operand(recipe_.operands,
                 recipe_.weights == Weights::kept ? weight : inputs_.low(weight));
}

template <class Real>
Real Softmax<Real>::summed(Real weight, bool odd_tile) const {
  const bool rounded = recipe_.weights == Weights::rounded_in_sum ||
                       (recipe_.weights == Weights::mixed && odd_tile);
  if (rounded && recipe_.narrow != Narrow::no) {
    return held(weight) / static_cast<Real>(recipe_.narrow_scale);
  }
  return rounded ? operand(recipe_.operands, inputs_.low(weight)) : weight;
}

template <class Real>
void Softmax<Real>::store_part(Partial<Real>& partial) const {
  if (!recipe_.parts_low) return;
  for (Real& value : partial.values) value = inputs_.low(value);
}

template <class Real>
Real Softmax<Real>::weight(Real score, Real shift) const {
  if (in_base_two(recipe_)) return std::exp2(score - shift);
  if (recipe_.exp == Exp::fused) {
    return std::exp2(std::fma(score, log2_e<Real>, -(shift * log2_e<Real>)));
  }
  if (recipe_.exp == Exp::polynomial) return polynomial_exp(score - shift);
  return std::exp(score - shift);
}

template <class Real>
Real Softmax<Real>::shift_of(Real maximum) { return std::isinf(maximum) && maximum < 0 ? 0 : maximum; }

template <class Real>
Real Softmax<Real>::log_of(Real x) const { return in_base_two(recipe_) ? std::log2(x) : std::log(x); }

template <class Real>
bool Softmax<Real>::takes(std::int64_t j) const {
  return scores_.shown[at(j)] != 0 || recipe_.hidden != Hidden::exclusion;
}

template <class Real>
Partial<Real> Softmax<Real>::nothing() const { return {minus_infinity<Real>, 0, std::vector<Real>(at(d_v_), Real{0})}; }

template <class Real>
void Softmax<Real>::rescale(Partial<Real>& partial, Real maximum) const {
  Real alpha = 0;
  if (partial.maximum > minus_infinity<Real>) {
    // The difference is formed first here, also by kernels that fuse the shift of their weights.
    const Real difference = partial.maximum - maximum;
    alpha = recipe_.exp == Exp::fused ? std::exp2(difference * log2_e<Real>) : weight(difference, 0);
  }
  partial.sum *= alpha;
  for (Real& value : partial.values) value *= alpha;
  partial.maximum = maximum;
}

template <class Real>
void Softmax<Real>::add_sink(Partial<Real>& partial) const {
  if (!(scores_.sink > minus_infinity<Real>)) return;
  rescale(partial, std::max(partial.maximum, scores_.sink));
  partial.sum += weight(scores_.sink, partial.maximum);
}

template <class Real>
void Softmax<Real>::add_sink_late(Partial<Real>& partial) const {
  if (scores_.sink > minus_infinity<Real>) partial.sum += weight(scores_.sink, shift_of(partial.maximum));
}

template <class Real>
std::vector<std::int64_t> Softmax<Real>::tiles(std::int64_t first, std::int64_t last) const {
  std::vector<std::int64_t> starts;
  for (std::int64_t j = first; j < last; j += recipe_.tile) starts.push_back(j);
  if (recipe_.order == Order::reversed) std::reverse(starts.begin(), starts.end());
  if (recipe_.order == Order::shuffled) {
    const auto place = [](std::int64_t j) { return qkvet::mix(static_cast<std::uint64_t>(j)); };
    std::sort(starts.begin(), starts.end(),
              [&](std::int64_t a, std::int64_t b) { return place(a) < place(b); });
  }
  return starts;
}

template <class Real>
void Softmax<Real>::add_products(std::vector<Real>& values, const std::vector<Held>& weights) const {
  for (std::int64_t d = 0; d < d_v_; ++d) {
    Real& sum = values[at(d)];
    const auto v = [&](const Held& held) { return inputs_.v(b_, g_, held.key, d); };
    if (recipe_.adder_terms > 1) {
      std::vector<double> products;
      for (const Held& held : weights) {
        products.push_back(static_cast<double>(held.weight) * static_cast<double>(v(held)));
      }
      sum = static_cast<Real>(qkvet::test::block_sum(
          products, static_cast<std::size_t>(recipe_.adder_terms), static_cast<float>(sum)));
    } else if (recipe_.pairwise) {
      sum += pairwise<Real>(0, weights.size(), [&](std::size_t n) {
        return weights[n].weight * v(weights[n]);
      });
    } else {
      for (const Held& held : weights) sum += held.weight * v(held);
    }
  }
}

template <class Real>
void Softmax<Real>::add_tile(Partial<Real>& partial, std::int64_t first, std::int64_t last) const {
  Real top = minus_infinity<Real>;
  for (std::int64_t j = first; j < last; ++j) {
    if (takes(j) && scores_.value[at(j)] > top) top = scores_.value[at(j)];
  }
  // A lazy kernel keeps its maximum while scores exceed it by little.
  const bool moves = !(partial.maximum > minus_infinity<Real>) || top - partial.maximum > static_cast<Real>(recipe_.lazy);
  if (top > partial.maximum && moves) rescale(partial, top);
  const Real shift = shift_of(partial.maximum);
  std::vector<Held> weights;
  for (std::int64_t j = first; j < last; ++j) {
    if (!takes(j)) continue;
    const Real w = weight(scores_.value[at(j)], shift);
    partial.sum += summed(w, first / recipe_.tile % 2 != 0);
    weights.push_back({j, held(w)});
  }
  add_products(partial.values, weights);
}

template <class Real>
void Softmax<Real>::add_keys(Partial<Real>& partial, std::int64_t first, std::int64_t last) const {
  const bool renormalises = recipe_.algorithm == Algorithm::renormalised;
  for (const std::int64_t start : tiles(first, last)) {
    if (renormalises) {
      for (Real& value : partial.values) value *= partial.sum;
    }
    add_tile(partial, start, std::min(start + recipe_.tile, last));
    if (renormalises && !(partial.sum <= 0)) {
      for (Real& value : partial.values) value /= partial.sum;
    }
  }
}

template <class Real>
void Softmax<Real>::add_values(std::vector<Real>& values, Real shift, Real sum) const {
  const Real inverse = 1 / sum;
  std::vector<Held> weights;
  for (std::int64_t j = 0; j < S_; ++j) {
    if (!takes(j)) continue;
    const Real w = weight(scores_.value[at(j)], shift);
    weights.push_back({j, held(recipe_.reciprocal ? w * inverse : w / sum)});
  }
  add_products(values, weights);
}

template <class Real>
Partial<Real> Softmax<Real>::two_pass() const {
  Partial<Real> partial = nothing();
  partial.maximum = scores_.sink;
  for (std::int64_t j = 0; j < S_; ++j) {
    if (takes(j) && scores_.value[at(j)] > partial.maximum) partial.maximum = scores_.value[at(j)];
  }
  const Real shift = shift_of(partial.maximum);
  if (scores_.sink > minus_infinity<Real>) partial.sum = weight(scores_.sink, shift);
  std::vector<Real> weights;
  for (std::int64_t j = 0; j < S_; ++j) {
    if (takes(j)) weights.push_back(summed(weight(scores_.value[at(j)], shift), j % 2 != 0));
  }
  if (recipe_.pairwise) {
    partial.sum += pairwise<Real>(0, weights.size(), [&](std::size_t n) { return weights[n]; });
  } else {
    for (const Real w : weights) partial.sum += w;
  }
  return partial;
}

template <class Real>
void Softmax<Real>::finish(Partial<Real>& partial) const {
  if (recipe_.narrow != Narrow::no) {
    const Real inverse = 1 / static_cast<Real>(recipe_.narrow_scale);
    for (Real& value : partial.values) value *= inverse;
  }
  divide(partial);
}

template <class Real>
void Softmax<Real>::divide(Partial<Real>& partial) const {
  const bool seen = !(partial.sum <= 0);  // a NaN was seen
  if (seen && recipe_.algorithm != Algorithm::renormalised) {
    const Real inverse = 1 / partial.sum;
    for (Real& value : partial.values) {
      value = recipe_.reciprocal ? value * inverse : value / partial.sum;
    }
  }
  partial.maximum = seen ? shift_of(partial.maximum) + log_of(partial.sum) : minus_infinity<Real>;
  partial.sum = seen ? Real{1} : Real{0};
}

template <class Real>
Partial<Real> Softmax<Real>::merge_states(const std::vector<Partial<Real>>& parts) const {
  Partial<Real> all = nothing();
  for (Partial<Real> part : parts) {
    const Real top = part.maximum > all.maximum ? part.maximum : all.maximum;
    if (top > all.maximum) rescale(all, top);
    if (top > part.maximum) rescale(part, top);
    all.sum += part.sum;
    for (std::size_t d = 0; d < all.values.size(); ++d) all.values[d] += part.values[d];
  }
  return all;
}

template <class Real>
Partial<Real> Softmax<Real>::merge_by_lse(const std::vector<Partial<Real>>& parts) const {
  Partial<Real> all = nothing();
  for (const Partial<Real>& part : parts) {
    if (part.maximum > all.maximum) all.maximum = part.maximum;
  }
  const Real shift = shift_of(all.maximum);
  for (const Partial<Real>& part : parts) {
    if (part.sum <= 0) continue;  // an empty part
    const Real w = weight(part.maximum, shift);
    all.sum += w;
    for (std::size_t d = 0; d < all.values.size(); ++d) all.values[d] += w * part.values[d];
  }
  divide(all);
  return all;
}

template class Softmax<float>;
template class Softmax<double>;

}  // namespace fleet
