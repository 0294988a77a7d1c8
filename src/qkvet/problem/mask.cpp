// The reference's reading of the masks. Kernels and the Arb oracle each have their own: a shared
// one would hide a shared mistake.
#include <cmath>
#include <qkvet/problem/problem.hpp>

namespace qkvet {
namespace {

std::size_t broadcast_index(const std::array<std::int64_t, 4>& extents,
                            const std::array<std::int64_t, 4>& place) {
  std::int64_t index = 0;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    index = index * extents[axis] + (extents[axis] == 1 ? 0 : place[axis]);
  }
  return static_cast<std::size_t>(index);
}

bool row_is_empty(const Problem& p, std::int64_t b, std::int64_t h, std::int64_t i) {
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    if (visible(p, b, h, i, j)) return false;
  }
  return true;
}

}  // namespace

std::int64_t diagonal_offset(const Problem& problem, std::int64_t b) {
  const MaskSpec& mask = problem.mask;
  const auto at = static_cast<std::size_t>(b);
  switch (mask.diagonal.kind) {
    case Diagonal::Kind::top_left:
      return 0;
    case Diagonal::Kind::bottom_right:
      return (mask.key_range ? mask.key_range->end[at] : problem.shape.S) - problem.shape.L;
    case Diagonal::Kind::fixed:
      break;
  }
  return mask.diagonal.offsets.size() == 1 ? mask.diagonal.offsets[0] : mask.diagonal.offsets[at];
}

bool visible_without_bias(const Problem& problem, std::int64_t b, std::int64_t h, std::int64_t i,
                          std::int64_t j) {
  const MaskSpec& mask = problem.mask;
  if (mask.causal || mask.window) {
    const std::int64_t diagonal = i + diagonal_offset(problem, b);
    if (mask.causal && !(j <= diagonal)) return false;
    if (mask.window) {
      if (mask.window->left && !(diagonal - *mask.window->left <= j)) return false;
      if (mask.window->right && !(j <= diagonal + *mask.window->right)) return false;
    }
  }
  if (mask.key_range) {
    const auto at = static_cast<std::size_t>(b);
    if (!(mask.key_range->start[at] <= j && j < mask.key_range->end[at])) return false;
  }
  if (mask.attend) {
    return mask.attend->attend[broadcast_index(mask.attend->extents, {b, h, i, j})] != 0;
  }
  return true;
}

double bias_value(const Problem& problem, std::int64_t b, std::int64_t h, std::int64_t i,
                  std::int64_t j) {
  if (!problem.mask.bias) return 0.0;
  const Tensor& bias = *problem.mask.bias;
  return decode(bias.format, bias.bits[broadcast_index(bias.extents, {b, h, i, j})]);
}

bool visible(const Problem& problem, std::int64_t b, std::int64_t h, std::int64_t i,
             std::int64_t j) {
  if (!visible_without_bias(problem, b, h, i, j)) return false;
  const double bias = bias_value(problem, b, h, i, j);
  return !(std::isinf(bias) && bias < 0);
}

bool has_sink(const Problem& problem, std::int64_t h) {
  return problem.sinks && !std::isinf(problem.sinks->value(h, 0, 0, 0));
}

bool uses_diagonal(const Problem& problem) {
  return problem.mask.causal || problem.mask.window || problem.alibi_slopes;
}

bool has_empty_row(const Problem& p) {
  for (std::int64_t b = 0; b < p.shape.B; ++b)
    for (std::int64_t h = 0; h < p.shape.H_q; ++h)
      for (std::int64_t i = 0; i < p.shape.L; ++i)
        if (row_is_empty(p, b, h, i)) return true;
  return false;
}

}  // namespace qkvet
