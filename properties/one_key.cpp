#include "properties/one_key.hpp"

#include "properties/tools.hpp"

namespace qkvet {
namespace {

/// Masks dropped; the bias keeps its finite values.
Problem without_masks(const Problem& problem) {
  Problem p = problem;
  p.mask = {};
  p.mask.bias = problem.mask.bias;
  p.layouts.attend = p.layouts.bias = {};
  if (!p.mask.bias) return p;
  for (std::uint64_t& bits : p.mask.bias->bits) {
    if (!is_finite(p.mask.bias->format, bits)) bits = encode(p.mask.bias->format, 0);
  }
  return p;
}

Problem by_boolean_mask(const Problem& problem) {
  Problem p = without_masks(problem);
  const Shape& s = p.shape;
  BoolMask mask{{1, 1, s.L, s.S}, {}};
  for (std::int64_t i = 0; i < s.L; ++i) {
    for (std::int64_t j = 0; j < s.S; ++j) mask.attend.push_back(j == (3 * i + 1) % s.S ? 1 : 0);
  }
  p.mask.attend = std::move(mask);
  return p;
}

Problem by_key_range(const Problem& problem) {
  Problem p = without_masks(problem);
  KeyRange range;
  for (std::int64_t b = 0; b < p.shape.B; ++b) {
    range.start.push_back((p.shape.S - 1 + b) % p.shape.S);
    range.end.push_back(range.start.back() + 1);
  }
  p.mask.key_range = range;
  return p;
}

/// A window of one key: row i sees key i (or the one at the bottom right). Needs S >= L.
Problem by_window(const Problem& problem) {
  Problem p = without_masks(problem);
  p.mask.causal = problem.mask.causal;
  if (problem.mask.diagonal.kind == Diagonal::Kind::bottom_right) {
    p.mask.diagonal.kind = Diagonal::Kind::bottom_right;
  }
  p.mask.window = Window{0, 0};
  return p;
}

/// S := 1; the causal flag stays where row 0 sees key 0 anyway.
Problem by_one_key(const Problem& problem) {
  Problem p = permute_keys(without_masks(problem), {0});
  p.shape.S = 1;
  p.mask.causal = problem.mask.causal;
  return p;
}

}  // namespace

Problem with_one_key(const Problem& problem, const Contract& contract) {
  using Way = Problem (*)(const Problem&);
  constexpr Way ways[] = {by_boolean_mask, by_key_range, by_window, by_one_key};
  const Shape& s = problem.shape;
  for (std::int64_t turn = 0; turn < 4; ++turn) {
    const Way way = ways[(s.L + s.S + s.d_v + turn) % 4];
    if (way == by_window && s.L > s.S) continue;
    if (way == by_one_key && problem.alibi_slopes) continue;
    Problem p = way(problem);
    if (!outside(contract.limits, p)) return p;
  }
  return by_boolean_mask(problem);
}

}  // namespace qkvet
