// Masks: each part drawn by itself. The tensors among them: draw_mask_tensors.cpp.
#include <algorithm>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {
namespace {

bool allows(const Domain& domain, Diagonal::Kind kind) {
  return std::find(domain.diagonals.begin(), domain.diagonals.end(), kind) !=
         domain.diagonals.end();
}

/// Past lengths, bottom right without its name, one off either way, and far off: beyond the integers
/// that bf16 and f16 hold; for a mask alone also beyond 16 and 31 bits.
std::int64_t draw_far_offset(Choices& c, bool alibi) {
  constexpr std::int64_t near[] = {257, 300, 513, 1025, 2049, 2500, 4097};
  constexpr std::int64_t wide[] = {32769, 65535, 65537, 16777217, 2147483647, 2147483649};
  if (!alibi && c.chance(1, 3)) return wide[c.below(6)];
  return c.chance(1, 2) ? near[c.below(7)] : c.between(257, 4200);
}

std::int64_t draw_offset(Choices& c, const Problem& p, bool keep_rows, bool far) {
  const Shape& s = p.shape;
  const std::int64_t least = keep_rows ? 0 : -s.L;
  std::int64_t offset = 0;
  switch (far ? 8 : c.below(8)) {
    case 0:
      break;
    case 1:
      offset = s.S - s.L;
      break;
    case 2:
      offset = s.S - 1;
      break;
    case 3:
      offset = 1;
      break;
    case 4:
      offset = -1;
      break;
    case 5:
      offset = c.between(0, s.S);
      break;
    case 6:
      offset = c.between(-s.L, s.S + 1);
      break;
    default:
      offset = far || c.chance(1, 2) ? draw_far_offset(c, p.alibi_slopes.has_value()) : s.S / 2;
      break;
  }
  return std::max(offset, least);
}

/// A window that a far diagonal would take beyond every key follows it.
void follow_diagonal(Problem& p) {
  if (!p.mask.window || !p.mask.window->left || p.mask.diagonal.offsets.empty()) return;
  const auto& offsets = p.mask.diagonal.offsets;
  const std::int64_t most = *std::max_element(offsets.begin(), offsets.end());
  constexpr std::int64_t far = 256;
  if (most > far) *p.mask.window->left += most;
}

void draw_diagonal(Choices& c, const Domain& domain, const FeatureValues& w, Problem& p) {
  const bool keep_rows = domain.empty_rows == Allow::never;
  std::vector<Diagonal::Kind> kinds = domain.diagonals;
  if (keep_rows && p.shape.L > p.shape.S && kinds.size() > 1) {
    std::erase(kinds, Diagonal::Kind::bottom_right);
  }
  if (kinds.empty()) return;
  Diagonal& diagonal = p.mask.diagonal;
  diagonal.kind = kinds[c.below(kinds.size())];
  std::optional<Diagonal::Kind> wished;
  if (w.wants(Feature::causal)) wished = static_cast<Diagonal::Kind>(w[Feature::causal] - 1);
  if (w.wants(Feature::far_diagonal) && !wished) wished = Diagonal::Kind::fixed;
  if (wished && std::find(kinds.begin(), kinds.end(), *wished) != kinds.end()) {
    diagonal.kind = *wished;
  }
  if (diagonal.kind != Diagonal::Kind::fixed) return;
  // Rows that fall off the front are drawn, but not often.
  const bool mostly_kept = keep_rows || c.chance(7, 8);
  const bool each = p.shape.B == 0 || (p.shape.B > 1 && c.chance(1, 2));
  const std::int64_t count = each ? p.shape.B : 1;
  for (std::int64_t b = 0; b < count; ++b) {
    diagonal.offsets.push_back(
        draw_offset(c, p, mostly_kept, w.wants(Feature::far_diagonal) && b == 0));
  }
  follow_diagonal(p);
}

std::optional<std::int64_t> draw_side(Choices& c, std::int64_t S) {
  switch (c.below(8)) {
    case 0:
      return std::nullopt;
    case 1:
      return 0;
    case 2:
      return 1;
    case 3:
      return std::max<std::int64_t>(S - 1, 0);
    case 4:
      return S;
    case 5:
      return c.between(0, 15);
    case 6:
      return c.between(2, 5);
    default:
      // As wide as 31 bits: what stands for "no limit" elsewhere.
      return c.chance(1, 8) ? (std::int64_t{1} << 31) - 1 : c.between(0, S);
  }
}

Window draw_window(Choices& c, const FeatureValues& w, const Shape& s) {
  Window window;
  window.left = draw_side(c, s.S);
  window.right = draw_side(c, s.S);
  const bool left = c.chance(1, 2);
  const std::int64_t other = c.between(1, std::max<std::int64_t>(s.S, 1));
  const auto positive = [&](std::optional<std::int64_t> side) {
    return side && *side > 0 ? side : std::optional(other);
  };
  if (w.is(Feature::window, 1)) (left ? window.left : window.right) = 0;
  if (w.is(Feature::window, 2)) {
    window = left ? Window{positive(window.left), {}} : Window{{}, positive(window.right)};
  }
  if (w.is(Feature::window, 3)) window = {positive(window.left), positive(window.right)};
  return window;
}

/// What a wish for hidden tiles makes of a key range, where there is no boolean mask to do it.
std::optional<KeyRange> tiles_by_range(Choices& c, const FeatureValues& w, const Shape& s) {
  constexpr std::int64_t tile = 16;
  std::int64_t start = 0, end = s.S;
  if (w.wants(Feature::first_tile)) {
    start = c.between(std::min(tile, s.S - 1), s.S - 1);
  } else if (w.wants(Feature::last_tile)) {
    end = std::max<std::int64_t>((s.S - 1) / tile * tile, 1);
  } else if (w.wants(Feature::one_visible)) {
    start = c.between(0, s.S - 1);
    end = start + 1;
  } else if (w.wants(Feature::inside_only)) {
    start = 1;
    end = std::min(tile - 1, s.S);
  } else {
    return std::nullopt;
  }
  const auto B = static_cast<std::size_t>(s.B);
  return KeyRange{std::vector<std::int64_t>(B, start), std::vector<std::int64_t>(B, end)};
}

KeyRange draw_key_range(Choices& c, const FeatureValues& w, const Shape& s) {
  const bool no_mask = w[Feature::mask_keys] == 0 || w[Feature::mask_bytes] == 0 ||
                       w[Feature::mask_rows] == 0 || w[Feature::mask_heads] == 0 ||
                       w[Feature::mask_batch] == 0 || w[Feature::layout_mask] == 0;
  if (s.S > 1 && no_mask) {
    if (auto tiles = tiles_by_range(c, w, s)) return *tiles;
  }
  KeyRange range;
  for (std::int64_t b = 0; b < s.B; ++b) {
    std::int64_t start = 0, end = s.S;
    std::uint64_t kind = s.S < 2 ? 0 : c.below(16);
    if (s.S > 1 && w.wants(Feature::key_range)) {
      const std::uint64_t kinds[] = {0, 2, 9, kind % 2 == 0 ? 12u : 14u};
      kind = kinds[w[Feature::key_range]];
    }
    if (kind >= 2 && kind < 9) {  // padding on the right
      end = c.between(1, s.S);
    } else if (kind < 12 && kind >= 9) {  // on the left
      start = c.between(0, s.S - 1);
    } else if (kind == 12 || kind == 13) {  // on both sides
      start = c.between(0, s.S - 1);
      end = c.between(start + 1, s.S);
    } else if (kind == 14) {  // one key
      start = c.between(0, s.S - 1);
      end = start + 1;
    }
    range.start.push_back(start);
    range.end.push_back(end);
  }
  return range;
}

/// What can be done for a domain without empty rows, from the mildest step on.
void keep_every_row(Choices& c, const Domain& domain, Problem& p) {
  MaskSpec& mask = p.mask;
  const Shape& s = p.shape;
  for (int step = 0; step < 6; ++step) {
    repair_rows(c, p);
    if (!has_empty_row(p)) return;
    if (step == 0 && mask.key_range) {
      mask.key_range->start.assign(static_cast<std::size_t>(s.B), 0);
      mask.key_range->end.assign(static_cast<std::size_t>(s.B), s.S);
    } else if (step == 1 && mask.window) {
      mask.window = Window{s.L + s.S, s.L + s.S};
    } else if (step == 2 && allows(domain, Diagonal::Kind::top_left)) {
      mask.diagonal = {};
    } else if (step == 3 && allows(domain, Diagonal::Kind::fixed)) {
      mask.diagonal = {Diagonal::Kind::fixed, {0}};
    } else if (step == 4 && domain.causal != Allow::must) {
      mask.causal = false;
    }
  }
}

}  // namespace

std::size_t broadcast_index(const std::array<std::int64_t, 4>& extents,
                            const std::array<std::int64_t, 4>& place) {
  std::int64_t index = 0;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    index = index * extents[axis] + (extents[axis] == 1 ? 0 : place[axis]);
  }
  return static_cast<std::size_t>(index);
}

bool wants(Choices& choices, Allow allow, std::uint64_t percent, std::optional<bool> wish) {
  if (allow != Allow::may) return allow == Allow::must;
  const bool drawn = choices.chance(percent, 100);
  return wish.value_or(drawn);
}

std::size_t pick(Choices& choices, const FeatureValues& wishes, Feature feature,
                 std::initializer_list<std::uint64_t> weights) {
  std::uint64_t total = 0;
  for (const std::uint64_t weight : weights) total += weight;
  std::uint64_t choice = choices.below(total);
  const std::int8_t wish = wishes[feature];
  if (wish >= 0 && static_cast<std::size_t>(wish) < weights.size()) {
    return static_cast<std::size_t>(wish);
  }
  std::size_t value = 0;
  for (const std::uint64_t weight : weights) {
    if (choice < weight) return value;
    choice -= weight;
    ++value;
  }
  return 0;
}

namespace {

/// Some or none of the features is wished for: a part of the mask that they share is there, or not.
std::optional<bool> wish_of(const FeatureValues& w, std::initializer_list<Feature> features) {
  std::optional<bool> wish;
  for (const Feature feature : features) {
    if (w.wants(feature)) return true;
    if (w[feature] == 0) wish = false;
  }
  return wish;
}

std::optional<bool> mask_wish(const FeatureValues& w) {
  return wish_of(w, {Feature::mask_batch, Feature::mask_heads, Feature::mask_rows,
                     Feature::mask_keys, Feature::mask_bytes, Feature::layout_mask});
}

bool hides_tiles(const FeatureValues& w) {
  return w.wants(Feature::first_tile) || w.wants(Feature::last_tile) ||
         w.wants(Feature::one_visible) || w.wants(Feature::inside_only) ||
         w.wants(Feature::tile_hole);
}

bool wants_mask(Choices& c, const Domain& domain, const FeatureValues& w) {
  auto wish = mask_wish(w);
  if (!wish && hides_tiles(w)) wish = true;
  return wants(c, domain.bool_mask, 22, wish);
}

bool wants_bias(Choices& c, const Domain& domain, const FeatureValues& w) {
  const Allow allow = domain.bias_infinite == Allow::must ? Allow::must : domain.bias;
  auto wish = wish_of(w, {Feature::bias_batch, Feature::bias_heads, Feature::bias_rows,
                          Feature::bias_keys, Feature::bias_values, Feature::bias_format,
                          Feature::layout_bias});
  if (!wish && w.wants(Feature::finite_row)) wish = true;
  return wants(c, allow, 22, wish);
}

void settle_rows(Choices& c, const Domain& domain, Values stratum, const FeatureValues& w,
                 Problem& p) {
  const std::int8_t wish = w[Feature::emptied_row];
  if (domain.empty_rows == Allow::never) {
    keep_every_row(c, domain, p);
  } else if (wish > 0) {
    empty_a_row(c, domain, p, wish == 1 ? Ways::by_one_part : Ways::by_parts_together);
  } else if (stratum == Values::empty_rows || domain.empty_rows == Allow::must) {
    empty_a_row(c, domain, p);
  } else if (c.chance(9, 10)) {
    repair_rows(c, p);
  }
}

}  // namespace

void draw_masks(Choices& c, const Domain& domain, Values stratum, const FeatureValues& w,
                Problem& p) {
  c.enter(DrawPart::causal);
  const bool diagonals = !domain.diagonals.empty();
  const bool careful = domain.empty_rows == Allow::never && p.shape.L > p.shape.S &&
                       domain.diagonals == std::vector{Diagonal::Kind::bottom_right};
  std::optional<bool> causal = wish_of(w, Feature::causal);
  const bool far = w.wants(Feature::far_diagonal) && !w.wants(Feature::window) && !p.alibi_slopes;
  if (!causal && far) causal = true;
  // Where a tensor is to hide tiles, other parts would mostly hide what is left.
  const std::uint64_t part = hides_tiles(w) ? 4 : 1;
  p.mask.causal = diagonals && wants(c, domain.causal, 33 / part, causal) &&
                  !(careful && domain.causal == Allow::may);
  c.enter(DrawPart::window);
  if (diagonals && wants(c, domain.window, 18 / part, wish_of(w, Feature::window))) {
    p.mask.window = draw_window(c, w, p.shape);
  }
  c.enter(DrawPart::diagonal);
  if (uses_diagonal(p)) draw_diagonal(c, domain, w, p);
  c.enter(DrawPart::key_range);
  auto range = wish_of(w, Feature::key_range);
  if (!range && hides_tiles(w) && !mask_wish(w).value_or(true)) range = true;
  if (wants(c, domain.key_range, 18 / part, range)) {
    p.mask.key_range = draw_key_range(c, w, p.shape);
  }
  c.enter(DrawPart::bool_mask);
  if (wants_mask(c, domain, w)) p.mask.attend = draw_bool_mask(c, w, p.shape);
  c.enter(DrawPart::bias);
  if (wants_bias(c, domain, w)) p.mask.bias = draw_bias_tensor(c, domain, w, p);
  c.enter(DrawPart::rows);
  settle_rows(c, domain, stratum, w, p);
}

}  // namespace qkvet::detail
