// Softmax and the product with V over ranges of keys, in the ways that the recipes name.
#include "softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fleet {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

std::size_t at(std::int64_t j) { return static_cast<std::size_t>(j); }

}  // namespace

Softmax::Softmax(const Recipe& recipe, const Scores& scores, const Inputs& inputs, std::int64_t b,
                 std::int64_t g)
    : recipe_(recipe),
      scores_(scores),
      inputs_(inputs),
      b_(b),
      g_(g),
      d_v_(inputs.dims.d_v),
      S_(inputs.dims.S) {}

float Softmax::held(float weight) const {
  return recipe_.weights == Weights::kept ? weight : inputs_.low(weight);
}

float Softmax::summed(float weight, bool odd_tile) const {
  const bool rounded = recipe_.weights == Weights::rounded_in_sum ||
                       (recipe_.weights == Weights::mixed && odd_tile);
  return rounded ? inputs_.low(weight) : weight;
}

void Softmax::store_part(Partial& partial) const {
  if (!recipe_.parts_low) return;
  for (float& value : partial.values) value = inputs_.low(value);
}

float Softmax::weight(float score, float shift) const {
  if (in_base_two(recipe_)) return std::exp2(score - shift);
  if (recipe_.exp == Exp::fused) return std::exp2(std::fma(score, log2_e, -(shift * log2_e)));
  return std::exp(score - shift);
}

float Softmax::shift_of(float maximum) { return std::isinf(maximum) && maximum < 0 ? 0 : maximum; }

float Softmax::log_of(float x) const { return in_base_two(recipe_) ? std::log2(x) : std::log(x); }

bool Softmax::takes(std::int64_t j) const {
  return scores_.shown[at(j)] != 0 || recipe_.hidden != Hidden::exclusion;
}

Partial Softmax::nothing() const { return {minus_infinity, 0, std::vector<float>(at(d_v_), 0.0F)}; }

void Softmax::rescale(Partial& partial, float maximum) const {
  float alpha = 0;
  if (partial.maximum > minus_infinity) {
    // The difference is formed first here, also by kernels that fuse the shift of their weights.
    const float difference = partial.maximum - maximum;
    alpha = recipe_.exp == Exp::fused ? std::exp2(difference * log2_e) : weight(difference, 0);
  }
  partial.sum *= alpha;
  for (float& value : partial.values) value *= alpha;
  partial.maximum = maximum;
}

void Softmax::add_sink(Partial& partial) const {
  if (!(scores_.sink > minus_infinity)) return;
  rescale(partial, std::max(partial.maximum, scores_.sink));
  partial.sum += weight(scores_.sink, partial.maximum);
}

void Softmax::add_sink_late(Partial& partial) const {
  if (scores_.sink > minus_infinity) partial.sum += weight(scores_.sink, shift_of(partial.maximum));
}

std::vector<std::int64_t> Softmax::tiles(std::int64_t first, std::int64_t last) const {
  std::vector<std::int64_t> starts;
  for (std::int64_t j = first; j < last; j += recipe_.tile) starts.push_back(j);
  if (recipe_.reversed) std::reverse(starts.begin(), starts.end());
  return starts;
}

void Softmax::add_tile(Partial& partial, std::int64_t first, std::int64_t last) const {
  float top = minus_infinity;
  for (std::int64_t j = first; j < last; ++j) {
    if (takes(j) && scores_.value[at(j)] > top) top = scores_.value[at(j)];
  }
  // A lazy kernel keeps its maximum while scores exceed it by little.
  const bool moves = !(partial.maximum > minus_infinity) || top - partial.maximum > recipe_.lazy;
  if (top > partial.maximum && moves) rescale(partial, top);
  const float shift = shift_of(partial.maximum);
  for (std::int64_t j = first; j < last; ++j) {
    if (!takes(j)) continue;
    const float w = weight(scores_.value[at(j)], shift);
    partial.sum += summed(w, first / recipe_.tile % 2 != 0);
    const float p = held(w);
    for (std::int64_t d = 0; d < d_v_; ++d) partial.values[at(d)] += p * inputs_.v(b_, g_, j, d);
  }
}

void Softmax::add_keys(Partial& partial, std::int64_t first, std::int64_t last) const {
  const bool renormalises = recipe_.algorithm == Algorithm::renormalised;
  for (const std::int64_t start : tiles(first, last)) {
    if (renormalises) {
      for (float& value : partial.values) value *= partial.sum;
    }
    add_tile(partial, start, std::min(start + recipe_.tile, last));
    if (renormalises && !(partial.sum <= 0)) {
      for (float& value : partial.values) value /= partial.sum;
    }
  }
}

void Softmax::add_values(std::vector<float>& values, float shift, float sum) const {
  const float inverse = 1 / sum;
  for (std::int64_t j = 0; j < S_; ++j) {
    if (!takes(j)) continue;
    const float w = weight(scores_.value[at(j)], shift);
    const float p = held(recipe_.reciprocal ? w * inverse : w / sum);
    for (std::int64_t d = 0; d < d_v_; ++d) values[at(d)] += p * inputs_.v(b_, g_, j, d);
  }
}

Partial Softmax::two_pass() const {
  Partial partial = nothing();
  partial.maximum = scores_.sink;
  for (std::int64_t j = 0; j < S_; ++j) {
    if (takes(j) && scores_.value[at(j)] > partial.maximum) partial.maximum = scores_.value[at(j)];
  }
  const float shift = shift_of(partial.maximum);
  if (scores_.sink > minus_infinity) partial.sum = weight(scores_.sink, shift);
  for (std::int64_t j = 0; j < S_; ++j) {
    if (takes(j)) partial.sum += summed(weight(scores_.value[at(j)], shift), j % 2 != 0);
  }
  return partial;
}

void Softmax::divide(Partial& partial) const {
  const bool seen = !(partial.sum <= 0);  // a NaN was seen
  if (seen && recipe_.algorithm != Algorithm::renormalised) {
    const float inverse = 1 / partial.sum;
    for (float& value : partial.values) {
      value = recipe_.reciprocal ? value * inverse : value / partial.sum;
    }
  }
  partial.maximum = seen ? shift_of(partial.maximum) + log_of(partial.sum) : minus_infinity;
  partial.sum = seen ? 1.0F : 0.0F;
}

Partial Softmax::merge_states(const std::vector<Partial>& parts) const {
  Partial all = nothing();
  for (Partial part : parts) {
    const float top = part.maximum > all.maximum ? part.maximum : all.maximum;
    if (top > all.maximum) rescale(all, top);
    if (top > part.maximum) rescale(part, top);
    all.sum += part.sum;
    for (std::size_t d = 0; d < all.values.size(); ++d) all.values[d] += part.values[d];
  }
  return all;
}

Partial Softmax::merge_by_lse(const std::vector<Partial>& parts) const {
  Partial all = nothing();
  for (const Partial& part : parts) {
    if (part.maximum > all.maximum) all.maximum = part.maximum;
  }
  const float shift = shift_of(all.maximum);
  for (const Partial& part : parts) {
    if (part.sum <= 0) continue;  // an empty part
    const float w = weight(part.maximum, shift);
    all.sum += w;
    for (std::size_t d = 0; d < all.values.size(); ++d) all.values[d] += w * part.values[d];
  }
  divide(all);
  return all;
}

}  // namespace fleet
