#include "properties/rewrites.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <qkvet/num/error.hpp>

namespace qkvet {
namespace {

using Extents = std::array<std::int64_t, 4>;

/// Visits the places of a tensor of these extents in row-major order.
template <class Visit>
void for_extents(const Extents& e, const Visit& visit) {
  for (std::int64_t a = 0; a < e[0]; ++a)
    for (std::int64_t b = 0; b < e[1]; ++b)
      for (std::int64_t c = 0; c < e[2]; ++c)
        for (std::int64_t d = 0; d < e[3]; ++d) visit(a, b, c, d);
}

template <class Value>
std::vector<Value> taken(const std::vector<Value>& values, Extents& extents, std::size_t axis,
                         const Indices& from) {
  const Extents old = extents;
  extents[axis] = static_cast<std::int64_t>(from.size());
  std::vector<Value> out;
  for_extents(extents, [&](auto a, auto b, auto c, auto d) {
    Extents at{a, b, c, d};
    at[axis] = from[static_cast<std::size_t>(at[axis])];
    out.push_back(values[static_cast<std::size_t>(
        ((at[0] * old[1] + at[1]) * old[2] + at[2]) * old[3] + at[3])]);
  });
  return out;
}

template <class Number>
void take_numbers(std::vector<Number>& numbers, const Indices& from) {
  std::vector<Number> out;
  for (const std::int64_t n : from) out.push_back(numbers[static_cast<std::size_t>(n)]);
  numbers = std::move(out);
}

bool attends(const BoolMask& mask, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
  const Extents& e = mask.extents;
  const auto along = [&e](std::size_t axis, std::int64_t n) { return e[axis] == 1 ? 0 : n; };
  return mask.attend[static_cast<std::size_t>(
             ((along(0, b) * e[1] + along(1, h)) * e[2] + along(2, i)) * e[3] + along(3, j))] != 0;
}

double grid_limit(Format format) { return format == Format::bfloat16 ? 127 : 1023; }

}  // namespace

Indices indices(std::int64_t from, std::int64_t count) {
  Indices out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), from);
  return out;
}

void take(Tensor& tensor, std::size_t axis, const Indices& from) {
  tensor.bits = taken(tensor.bits, tensor.extents, axis, from);
}

void take_masks(Problem& p, std::size_t axis, std::int64_t extent, const Indices& from) {
  if (p.mask.attend && (p.mask.attend->extents[axis] != 1 || extent == 1)) {
    BoolMask& mask = *p.mask.attend;
    mask.attend = taken(mask.attend, mask.extents, axis, from);
    p.layouts.attend = {};
  }
  if (p.mask.bias && (p.mask.bias->extents[axis] != 1 || extent == 1)) {
    take(*p.mask.bias, axis, from);
    p.layouts.bias = {};
  }
}

bool diagonal_matters(const Problem& p) { return p.mask.causal || p.mask.window || p.alibi_slopes; }

Problem fixed(const Problem& problem) { return diagonal_matters(problem) ? fix(problem) : problem; }

Problem take_entries(const Problem& problem, const Indices& entries) {
  Problem p = fixed(problem);
  for (Tensor* tensor : {&p.q, &p.k, &p.v}) take(*tensor, 0, entries);
  take_masks(p, 0, problem.shape.B, entries);
  if (p.mask.diagonal.offsets.size() > 1 || problem.shape.B == 1) {
    if (!p.mask.diagonal.offsets.empty()) take_numbers(p.mask.diagonal.offsets, entries);
  }
  if (p.mask.key_range) {
    take_numbers(p.mask.key_range->start, entries);
    take_numbers(p.mask.key_range->end, entries);
  }
  p.shape.B = static_cast<std::int64_t>(entries.size());
  p.layouts = {};
  return p;
}

Problem take_heads(const Problem& problem, const Indices& query_heads, const Indices& key_heads) {
  Problem p = problem;
  take(p.q, 1, query_heads);
  take(p.k, 1, key_heads);
  take(p.v, 1, key_heads);
  take_masks(p, 1, problem.shape.H_q, query_heads);
  if (p.sinks) take(*p.sinks, 0, query_heads);
  if (p.alibi_slopes) take(*p.alibi_slopes, 0, query_heads);
  p.shape.H_q = static_cast<std::int64_t>(query_heads.size());
  p.shape.H_kv = static_cast<std::int64_t>(key_heads.size());
  p.layouts = {};
  return p;
}

Problem take_rows(const Problem& problem, const Indices& rows) {
  Problem p = problem;
  take(p.q, 2, rows);
  take_masks(p, 2, problem.shape.L, rows);
  p.shape.L = static_cast<std::int64_t>(rows.size());
  p.layouts.q = p.layouts.o = p.layouts.lse = {};
  return p;
}

Problem cut_keys(const Problem& problem, std::int64_t from, std::int64_t count) {
  Problem p = fixed(problem);
  const Indices keys = indices(from, count);
  take(p.k, 2, keys);
  take(p.v, 2, keys);
  take_masks(p, 3, problem.shape.S, keys);
  for (std::int64_t& offset : p.mask.diagonal.offsets) offset -= from;
  if (p.mask.key_range) {
    const auto move = [&](std::int64_t& end) {
      end = std::clamp<std::int64_t>(end - from, 0, count);
    };
    for (std::int64_t& start : p.mask.key_range->start) move(start);
    for (std::int64_t& end : p.mask.key_range->end) move(end);
  }
  p.shape.S = count;
  p.layouts.k = p.layouts.v = {};
  return p;
}

Problem insert_keys(const Problem& problem, std::int64_t at, std::int64_t count, Choices& choices) {
  const Shape& s = problem.shape;
  QKVET_ASSERT(s.S > 0);
  Problem p = fixed(problem);
  const bool inside = at > 0 && at < s.S;
  QKVET_ASSERT(!inside || (!diagonal_matters(p) && !p.mask.key_range));
  Indices keys;
  for (std::int64_t j = 0; j < s.S + count; ++j) {
    keys.push_back(j < at ? j : j < at + count ? std::min(at, s.S - 1) : j - count);
  }
  take(p.k, 2, keys);
  take(p.v, 2, keys);
  take_masks(p, 3, s.S, keys);
  for (Tensor* tensor : {&p.k, &p.v}) {
    const Extents e = tensor->extents;
    for_extents({e[0], e[1], count, e[3]}, [&](auto b, auto g, auto j, auto c) {
      tensor->set(b, g, at + j, c, static_cast<double>(choices.between(-512, 511)) / 64);
    });
  }
  if (at == 0) {
    for (std::int64_t& offset : p.mask.diagonal.offsets) offset += count;
    if (p.mask.key_range) {
      for (std::int64_t& start : p.mask.key_range->start) start += count;
      for (std::int64_t& end : p.mask.key_range->end) end += count;
    }
  }
  p.shape.S += count;
  p.layouts.k = p.layouts.v = {};
  return p;
}

void and_mask(
    Problem& p, const MaskAxes& axes,
    const std::function<bool(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>& shows) {
  const Shape& s = p.shape;
  const std::optional<BoolMask> old = p.mask.attend;
  const Extents full{s.B, s.H_q, s.L, s.S};
  const bool asked[] = {axes.b, axes.h, axes.i, axes.j};
  BoolMask mask;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const bool wide = asked[axis] || (old && old->extents[axis] != 1);
    mask.extents[axis] = wide ? full[axis] : 1;
  }
  for_extents(mask.extents, [&](auto b, auto h, auto i, auto j) {
    const bool kept = !old || attends(*old, b, h, i, j);
    mask.attend.push_back(kept && shows(b, h, i, j) ? 1 : 0);
  });
  p.mask.attend = std::move(mask);
  p.layouts.attend = {};
}

void expand_bias(Problem& p) {
  const Shape& s = p.shape;
  const Problem old = p;
  Tensor bias = make_tensor(p.mask.bias ? p.mask.bias->format : p.format, {s.B, s.H_q, s.L, s.S});
  if (old.mask.bias) {
    for_extents(bias.extents, [&](auto b, auto h, auto i, auto j) {
      bias.set(b, h, i, j, bias_value(old, b, h, i, j));
    });
  }
  p.mask.bias = std::move(bias);
  p.layouts.bias = {};
}

bool is_exact(Format format, double x) {
  const double stored = decode(format, encode(format, x));
  return stored <= x && stored >= x;
}

void to_sum_grid(Tensor& tensor) {
  const double limit = grid_limit(tensor.format);
  for (std::uint64_t& bits : tensor.bits) {
    const double x = decode(tensor.format, bits);
    if (!std::isfinite(x)) continue;
    bits = encode(tensor.format, std::fmin(std::fmax(std::round(x * 64), -limit), limit) / 64);
  }
}

double on_sum_grid(Format format, Choices& choices) {
  const auto limit = static_cast<std::int64_t>(std::fmin(grid_limit(format), 255));
  return static_cast<double>(choices.between(-limit, limit)) / 64;
}

bool has_finite_values(const Tensor& tensor) {
  return std::all_of(tensor.bits.begin(), tensor.bits.end(), [&](std::uint64_t bits) {
    return std::isfinite(decode(tensor.format, bits));
  });
}

bool has_finite_inputs(const Problem& p) {
  return has_finite_values(p.q) && has_finite_values(p.k) && has_finite_values(p.v);
}

Problem with_explicit_scale(const Problem& problem) {
  Problem p = problem;
  p.scale = scale_value(problem);
  return p;
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The largest |element|; infinite where one is NaN. With `masks`, -inf hides a key and is no size.
double largest(const Tensor& tensor, bool masks) {
  double most = 0;
  for (const std::uint64_t bits : tensor.bits) {
    const double x = decode(tensor.format, bits);
    if (masks && x <= -infinity) continue;
    if (!std::isfinite(x)) return infinity;
    most = std::max(most, std::fabs(x));
  }
  return most;
}

}  // namespace

double rough_score_size(const Problem& p) {
  const Shape& s = p.shape;
  // 0 * inf is NaN, and so is what no product tells: neither is small.
  const auto sized = [](double size) { return std::isnan(size) ? infinity : size; };
  double size = sized(std::fabs(scale_value(p)) * largest(p.q, false) * largest(p.k, false) *
                      static_cast<double>(s.d_k));
  if (p.softcap > 0 && size < infinity) size = std::min(size, p.softcap);
  if (p.mask.bias) size += largest(*p.mask.bias, true);
  if (p.alibi_slopes) {
    double distance = 0;
    for (std::int64_t b = 0; b < s.B; ++b) {
      const auto offset = static_cast<double>(std::abs(diagonal_offset(p, b)));
      distance = std::max(distance, offset + static_cast<double>(s.L + s.S));
    }
    size += sized(largest(*p.alibi_slopes, false) * distance);
  }
  if (p.sinks) size = std::max(size, largest(*p.sinks, true));
  return size;
}

}  // namespace qkvet
