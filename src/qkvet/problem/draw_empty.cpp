// Rows without a visible key: made on purpose, by each mask kind and by two that only together
// empty a row, and repaired where they came about by accident.
#include <algorithm>
#include <limits>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {
namespace {

struct Row {
  std::int64_t b, h, i;
};

BoolMask& full_mask(Problem& p) {
  const Shape& s = p.shape;
  BoolMask full{{s.B, s.H_q, s.L, s.S}, {}};
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t h = 0; h < s.H_q; ++h)
      for (std::int64_t i = 0; i < s.L; ++i)
        for (std::int64_t j = 0; j < s.S; ++j) {
          const bool attend =
              !p.mask.attend ||
              p.mask.attend->attend[broadcast_index(p.mask.attend->extents, {b, h, i, j})] != 0;
          full.attend.push_back(attend ? 1 : 0);
        }
  p.mask.attend = full;
  return *p.mask.attend;
}

void set_attend(BoolMask& mask, const Row& r, std::int64_t j, bool attend) {
  mask.attend[broadcast_index(mask.extents, {r.b, r.h, r.i, j})] = attend ? 1 : 0;
}

bool by_mask(Choices& c, const Domain& domain, Problem& p, const Row& r) {
  if (domain.bool_mask == Allow::never) return false;
  BoolMask& mask = full_mask(p);
  const bool whole_head = c.chance(1, 3);
  for (std::int64_t i = 0; i < p.shape.L; ++i) {
    if (i != r.i && !whole_head) continue;
    for (std::int64_t j = 0; j < p.shape.S; ++j) set_attend(mask, {r.b, r.h, i}, j, false);
  }
  return true;
}

bool by_bias(const Domain& domain, Problem& p, const Row& r) {
  if (domain.bias == Allow::never || domain.bias_infinite == Allow::never) return false;
  const Shape& s = p.shape;
  Tensor bias = make_tensor(p.format, {s.B, s.H_q, s.L, s.S});
  std::size_t n = 0;
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t h = 0; h < s.H_q; ++h)
      for (std::int64_t i = 0; i < s.L; ++i)
        for (std::int64_t j = 0; j < s.S; ++j) {
          const bool hide = b == r.b && h == r.h && i == r.i;
          const double value =
              hide ? -std::numeric_limits<double>::infinity() : bias_value(p, b, h, i, j);
          bias.bits[n++] = encode(p.format, value);
        }
  p.mask.bias = std::move(bias);
  return true;
}

bool by_diagonal(const Domain& domain, Problem& p) {
  const auto kind = p.shape.L > p.shape.S ? Diagonal::Kind::bottom_right : Diagonal::Kind::fixed;
  const auto& kinds = domain.diagonals;
  if (domain.causal == Allow::never || std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    return false;
  }
  p.mask.causal = true;
  p.mask.diagonal = {kind, {}};
  if (kind == Diagonal::Kind::fixed) p.mask.diagonal.offsets = {-1};
  return true;
}

/// The last rows look beyond the last key.
bool by_window(const Domain& domain, Problem& p) {
  if (domain.window == Allow::never || domain.diagonals.empty()) return false;
  const Shape& s = p.shape;
  const auto& kinds = domain.diagonals;
  if (std::find(kinds.begin(), kinds.end(), Diagonal::Kind::fixed) != kinds.end()) {
    p.mask.diagonal = {Diagonal::Kind::fixed, {s.S}};
  } else if (s.L > s.S &&
             std::find(kinds.begin(), kinds.end(), Diagonal::Kind::top_left) != kinds.end()) {
    p.mask.diagonal = {};
  } else {
    return false;
  }
  p.mask.window = Window{0, {}};
  return true;
}

bool by_range(const Domain& domain, Problem& p, const Row& r) {
  if (domain.key_range == Allow::never) return false;
  if (!p.mask.key_range) {
    const auto B = static_cast<std::size_t>(p.shape.B);
    p.mask.key_range =
        KeyRange{std::vector<std::int64_t>(B, 0), std::vector<std::int64_t>(B, p.shape.S)};
  }
  const auto b = static_cast<std::size_t>(r.b);
  p.mask.key_range->end[b] = p.mask.key_range->start[b];
  return true;
}

/// The range ends where the mask of this row begins: either alone leaves keys.
bool by_range_and_mask(Choices& c, const Domain& domain, Problem& p, const Row& r) {
  if (domain.key_range == Allow::never || domain.bool_mask == Allow::never || p.shape.S < 2) {
    return false;
  }
  const auto B = static_cast<std::size_t>(p.shape.B);
  const std::int64_t cut = c.between(1, p.shape.S - 1);
  p.mask.key_range = KeyRange{std::vector<std::int64_t>(B, 0), std::vector<std::int64_t>(B, cut)};
  BoolMask& mask = full_mask(p);
  for (std::int64_t j = 0; j < p.shape.S; ++j) set_attend(mask, r, j, j >= cut);
  return true;
}

/// The mask shows this row only keys beyond the diagonal.
bool by_causal_and_mask(Choices& c, const Domain& domain, Problem& p, const Row& r) {
  if (domain.bool_mask == Allow::never || !p.mask.causal) return false;
  const std::int64_t diagonal = r.i + diagonal_offset(p, r.b);
  if (diagonal < 0 || diagonal + 1 >= p.shape.S) return false;
  BoolMask& mask = full_mask(p);
  const std::int64_t first = c.between(diagonal + 1, p.shape.S - 1);
  for (std::int64_t j = 0; j < p.shape.S; ++j) set_attend(mask, r, j, j >= first);
  return true;
}

/// The range begins behind the diagonal of this row.
bool by_causal_and_range(Choices& c, const Domain& domain, Problem& p, const Row& r) {
  if (domain.key_range == Allow::never || !p.mask.causal) return false;
  if (p.mask.diagonal.kind == Diagonal::Kind::bottom_right) return false;  // it follows the range
  const std::int64_t diagonal = r.i + diagonal_offset(p, r.b);
  if (diagonal < 0 || diagonal + 1 >= p.shape.S) return false;
  const auto B = static_cast<std::size_t>(p.shape.B);
  const std::int64_t first = c.between(diagonal + 1, p.shape.S - 1);
  if (!p.mask.key_range) {
    p.mask.key_range =
        KeyRange{std::vector<std::int64_t>(B, 0), std::vector<std::int64_t>(B, p.shape.S)};
  }
  const auto b = static_cast<std::size_t>(r.b);
  p.mask.key_range->start[b] = first;
  p.mask.key_range->end[b] = p.shape.S;
  return true;
}

/// The boolean mask hides some keys of the row, the bias all the others.
bool by_mask_and_bias(Choices& c, const Domain& domain, Problem& p, const Row& r) {
  if (domain.bool_mask == Allow::never || p.shape.S < 2) return false;
  const std::int64_t cut = c.between(1, p.shape.S - 1);
  if (!by_bias(domain, p, r)) return false;
  Tensor& bias = *p.mask.bias;
  for (std::int64_t j = cut; j < p.shape.S; ++j) bias.bits[bias.index(r.b, r.h, r.i, j)] = 0;
  BoolMask& mask = full_mask(p);
  for (std::int64_t j = 0; j < p.shape.S; ++j) set_attend(mask, r, j, j < cut);
  return true;
}

/// The row's first key, from a random one on, that all parts but the given one show.
std::optional<std::int64_t> key_shown_without(const Problem& p, const Row& r, std::int64_t from) {
  for (std::int64_t n = 0; n < p.shape.S; ++n) {
    const std::int64_t j = (from + n) % p.shape.S;
    if (visible(p, r.b, r.h, r.i, j)) return j;
  }
  return std::nullopt;
}

bool is_empty(const Problem& p, const Row& r) { return !key_shown_without(p, r, 0); }

}  // namespace

bool empty_a_row(Choices& c, const Domain& domain, Problem& p, Ways ways) {
  const Shape& s = p.shape;
  if (s.rows() == 0) return false;
  Row r{};
  r.b = c.between(0, s.B - 1);
  r.h = c.between(0, s.H_q - 1);
  r.i = c.between(0, s.L - 1);
  if (is_empty(p, r)) return true;
  const std::uint64_t first = c.below(empty_ways);
  for (std::uint64_t n = 0; n < empty_ways; ++n) {
    const std::uint64_t way = (first + n) % empty_ways;
    const bool together = way == 1 || way == 2 || way >= 7;
    if (ways != Ways::all && together != (ways == Ways::by_parts_together)) continue;
    const bool done = way == 0   ? by_mask(c, domain, p, r)
                      : way == 1 ? by_range_and_mask(c, domain, p, r)
                      : way == 2 ? by_causal_and_mask(c, domain, p, r)
                      : way == 3 ? by_bias(domain, p, r)
                      : way == 4 ? by_diagonal(domain, p)
                      : way == 5 ? by_window(domain, p)
                      : way == 6 ? by_range(domain, p, r)
                      : way == 7 ? by_causal_and_range(c, domain, p, r)
                                 : by_mask_and_bias(c, domain, p, r);
    if (done && has_empty_row(p)) return true;
  }
  return false;
}

void repair_rows(Choices& c, Problem& p) {
  if (p.shape.S == 0 || (!p.mask.attend && !p.mask.bias)) return;
  const Shape& s = p.shape;
  // What the other parts show: the same problem without the two tensors.
  Problem others;
  others.shape = s;
  others.mask = p.mask;
  others.mask.attend.reset();
  others.mask.bias.reset();
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t h = 0; h < s.H_q; ++h)
      for (std::int64_t i = 0; i < s.L; ++i) {
        const Row r{b, h, i};
        if (!is_empty(p, r)) continue;
        const auto key = key_shown_without(others, r, c.between(0, s.S - 1));
        if (!key) continue;
        if (p.mask.attend) set_attend(*p.mask.attend, r, *key, true);
        if (!visible(p, b, h, i, *key)) {
          Tensor& bias = *p.mask.bias;
          bias.bits[broadcast_index(bias.extents, {b, h, i, *key})] = 0;
        }
      }
}

}  // namespace qkvet::detail
