// Cuts a problem along one axis: tensors, masks, ranges and per-head numbers consistently.
#include <algorithm>
#include <qkvet/problem/axes.hpp>

namespace qkvet {
namespace {

using Kept = std::vector<std::int64_t>;
using Extents = std::array<std::int64_t, 4>;

/// The flat values at the kept indices of one axis, in order.
template <class Value>
std::vector<Value> gather(const std::vector<Value>& values, Extents& extents, std::size_t axis,
                          const Kept& kept) {
  std::int64_t outer = 1, inner = 1;
  for (std::size_t n = 0; n < axis; ++n) outer *= extents[n];
  for (std::size_t n = axis + 1; n < 4; ++n) inner *= extents[n];
  std::vector<Value> out;
  out.reserve(static_cast<std::size_t>(outer * inner) * kept.size());
  for (std::int64_t o = 0; o < outer; ++o) {
    for (std::int64_t index : kept) {
      const auto from = values.begin() + (o * extents[axis] + index) * inner;
      out.insert(out.end(), from, from + inner);
    }
  }
  extents[axis] = static_cast<std::int64_t>(kept.size());
  return out;
}

void keep(Tensor& tensor, std::size_t axis, const Kept& kept) {
  tensor.bits = gather(tensor.bits, tensor.extents, axis, kept);
}

/// A broadcast tensor is cut only along axes on which it does not repeat.
void keep_in_masks(Problem& p, std::size_t axis, std::int64_t full, const Kept& kept) {
  if (p.mask.attend && p.mask.attend->extents[axis] == full && full != 1) {
    BoolMask& mask = *p.mask.attend;
    mask.attend = gather(mask.attend, mask.extents, axis, kept);
  }
  if (p.mask.bias && p.mask.bias->extents[axis] == full && full != 1) {
    keep(*p.mask.bias, axis, kept);
  }
}

void keep_numbers(std::vector<std::int64_t>& numbers, const Kept& kept) {
  std::vector<std::int64_t> out;
  for (std::int64_t index : kept) out.push_back(numbers[static_cast<std::size_t>(index)]);
  numbers = std::move(out);
}

void cut_batch(Problem& p, const Kept& kept) {
  keep(p.q, 0, kept);
  keep(p.k, 0, kept);
  keep(p.v, 0, kept);
  keep_in_masks(p, 0, p.shape.B, kept);
  if (p.mask.diagonal.offsets.size() > 1) keep_numbers(p.mask.diagonal.offsets, kept);
  if (p.mask.key_range) {
    keep_numbers(p.mask.key_range->start, kept);
    keep_numbers(p.mask.key_range->end, kept);
  }
  p.shape.B = static_cast<std::int64_t>(kept.size());
}

void cut_query_heads(Problem& p, const Kept& heads) {
  keep(p.q, 1, heads);
  keep_in_masks(p, 1, p.shape.H_q, heads);
  if (p.sinks) keep(*p.sinks, 0, heads);
  if (p.alibi_slopes) keep(*p.alibi_slopes, 0, heads);
  p.shape.H_q = static_cast<std::int64_t>(heads.size());
}

/// Whole groups of the kept key/value heads.
void cut_kv_heads(Problem& p, const Kept& kept) {
  const std::int64_t group = p.shape.H_q / p.shape.H_kv;
  Kept heads;
  for (std::int64_t kv : kept)
    for (std::int64_t g = 0; g < group; ++g) heads.push_back(kv * group + g);
  cut_query_heads(p, heads);
  keep(p.k, 1, kept);
  keep(p.v, 1, kept);
  p.shape.H_kv = static_cast<std::int64_t>(kept.size());
}

/// The kept members of every group.
void cut_groups(Problem& p, const Kept& kept) {
  const std::int64_t group = p.shape.H_q / p.shape.H_kv;
  Kept heads;
  for (std::int64_t kv = 0; kv < p.shape.H_kv; ++kv)
    for (std::int64_t g : kept) heads.push_back(kv * group + g);
  cut_query_heads(p, heads);
}

void cut_rows(Problem& p, const Kept& kept) {
  keep(p.q, 2, kept);
  keep_in_masks(p, 2, p.shape.L, kept);
  p.shape.L = static_cast<std::int64_t>(kept.size());
}

void cut_keys(Problem& p, const Kept& kept) {
  keep(p.k, 2, kept);
  keep(p.v, 2, kept);
  keep_in_masks(p, 3, p.shape.S, kept);
  if (p.mask.key_range) {
    for (std::vector<std::int64_t>* ends : {&p.mask.key_range->start, &p.mask.key_range->end}) {
      for (std::int64_t& end : *ends) {
        end = std::lower_bound(kept.begin(), kept.end(), end) - kept.begin();
      }
    }
  }
  p.shape.S = static_cast<std::int64_t>(kept.size());
}

}  // namespace

std::int64_t extent(const Problem& problem, Axis axis) {
  const Shape& s = problem.shape;
  switch (axis) {
    case Axis::batch:
      return s.B;
    case Axis::kv_head:
      return s.H_kv;
    case Axis::group:
      return s.H_kv == 0 ? 0 : s.H_q / s.H_kv;
    case Axis::row:
      return s.L;
    case Axis::key:
      return s.S;
    case Axis::row_and_key:
      return s.L == s.S ? s.S : 0;
    case Axis::d_k:
      return s.d_k;
    case Axis::d_v:
      return s.d_v;
    case Axis::d_both:
      return s.d_k == s.d_v ? s.d_k : 0;
  }
  return 0;
}

Problem cut(const Problem& problem, Axis axis, const std::vector<std::int64_t>& kept) {
  Problem p = problem;
  const auto count = static_cast<std::int64_t>(kept.size());
  if (axis == Axis::batch) cut_batch(p, kept);
  if (axis == Axis::kv_head) cut_kv_heads(p, kept);
  if (axis == Axis::group) cut_groups(p, kept);
  if (axis == Axis::row || axis == Axis::row_and_key) cut_rows(p, kept);
  if (axis == Axis::key || axis == Axis::row_and_key) cut_keys(p, kept);
  if (axis == Axis::d_k || axis == Axis::d_both) {
    keep(p.q, 3, kept);
    keep(p.k, 3, kept);
    p.shape.d_k = count;
  }
  if (axis == Axis::d_v || axis == Axis::d_both) {
    keep(p.v, 3, kept);
    p.shape.d_v = count;
  }
  return p;
}

}  // namespace qkvet
