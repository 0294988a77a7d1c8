// Masks as they are given, and rows as all of the parts leave them.
#include <algorithm>
#include <cmath>
#include <qkvet/problem/features_parts.hpp>
#include <vector>

namespace qkvet::detail {
namespace {

using Extents = std::array<std::int64_t, 4>;

constexpr std::int64_t tile = 16;  // the smallest that is common: all larger ones are multiples

/// 1 = broadcast, 2 = an extent of its own; nothing where the shape has an extent of one itself.
void add_axes(FeatureValues& out, const Extents& extents, const Shape& s, Feature first) {
  const Extents full{s.B, s.H_q, s.L, s.S};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const auto feature = static_cast<Feature>(static_cast<std::size_t>(first) + axis);
    out[feature] = extents[axis] != 1 ? 2 : full[axis] > 1 ? 1 : FeatureValues::none;
  }
}

std::int8_t window_of(const Window& window) {
  if (window.left == 0 || window.right == 0) return 1;
  return window.left && window.right ? 3 : window.left || window.right ? 2 : FeatureValues::none;
}

std::int8_t range_of(const KeyRange& range, std::int64_t S) {
  bool left = false, right = false, both = false;
  for (std::size_t b = 0; b < range.start.size(); ++b) {
    const bool starts = range.start[b] > 0, ends = range.end[b] < S;
    left = left || (starts && !ends);
    right = right || (ends && !starts);
    both = both || (starts && ends);
  }
  if (both) return 3;
  return left ? 2 : right ? 1 : FeatureValues::none;
}

bool is_sentinel(Format format, std::uint64_t bits) {
  const double x = decode(format, bits);
  return x <= -9000 && std::isfinite(x);
}

/// Is there a line along the keys, of more than one, that holds finite sentinels only?
bool has_sentinel_row(const Tensor& bias) {
  const std::int64_t width = bias.extents[3];
  if (width == 0) return false;
  for (std::size_t at = 0; at < bias.bits.size(); at += static_cast<std::size_t>(width)) {
    const auto first = bias.bits.begin() + static_cast<std::ptrdiff_t>(at);
    if (std::all_of(first, first + width,
                    [&](std::uint64_t bits) { return is_sentinel(bias.format, bits); })) {
      return true;
    }
  }
  return false;
}

void add_bias(FeatureValues& out, const Problem& p) {
  const Tensor& bias = *p.mask.bias;
  add_axes(out, bias.extents, p.shape, Feature::bias_batch);
  bool infinite = false, lowest = false, low = false;
  for (const std::uint64_t bits : bias.bits) {
    const double x = decode(bias.format, bits);
    infinite = infinite || (std::isinf(x) && x < 0);
    lowest = lowest || (x <= -info(bias.format).max && !std::isinf(x));
    low = low || (x <= -9000 && x >= -11000);
  }
  out[Feature::bias_values] = infinite ? 2 : lowest ? 3 : low ? 4 : 1;
  out[Feature::bias_format] = bias.format == p.format ? 1 : 2;
  out[Feature::finite_row] = has_sentinel_row(bias) ? 1 : 0;
}

/// The problem with one part of its mask only.
enum class Part : std::uint8_t { causal, window, range, attend, bias };

Problem only(const Problem& p, Part part) {
  Problem out;
  out.shape = p.shape;
  out.mask.diagonal = p.mask.diagonal;
  if (p.mask.diagonal.kind == Diagonal::Kind::bottom_right && p.mask.key_range) {
    out.mask = fix(p).mask;  // its offsets follow from the key range, which may be left out
    out.mask.attend.reset();
    out.mask.bias.reset();
    out.mask.key_range.reset();
    out.mask.window.reset();
  }
  out.mask.causal = part == Part::causal && p.mask.causal;
  if (part == Part::window) out.mask.window = p.mask.window;
  if (part == Part::range) out.mask.key_range = p.mask.key_range;
  if (part == Part::attend) out.mask.attend = p.mask.attend;
  if (part == Part::bias) out.mask.bias = p.mask.bias;
  return out;
}

struct Row {
  std::int64_t b, h, i;
};

bool sees_nothing(const Problem& p, const Row& r) {
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    if (visible(p, r.b, r.h, r.i, j)) return false;
  }
  return true;
}

/// No part alone empties the row.
bool emptied_together(const Problem& p, const Row& r) {
  for (const Part part : {Part::causal, Part::window, Part::range, Part::attend, Part::bias}) {
    if (sees_nothing(only(p, part), r)) return false;
  }
  return true;
}

/// What one row shows of its keys.
struct Shown {
  std::int64_t count = 0, first = -1, last = -1;
  bool hole = false;    ///< a whole tile hidden between visible keys
  bool inside = false;  ///< all visible keys lie inside of tiles, none at an end of one
};

Shown look(const Problem& p, const Row& r) {
  Shown shown;
  bool at_end = false;
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    if (!visible(p, r.b, r.h, r.i, j)) continue;
    shown.hole = shown.hole || (shown.count > 0 && j / tile > shown.last / tile + 1);
    if (shown.count == 0) shown.first = j;
    shown.last = j;
    ++shown.count;
    at_end = at_end || j % tile == 0 || j % tile == tile - 1;
  }
  shown.inside = shown.count > 1 && !at_end;
  return shown;
}

void add_row(FeatureValues& out, const Problem& p, const Row& r) {
  const Shown shown = look(p, r);
  if (shown.count == 0) {
    if (out[Feature::emptied_row] != 2) out[Feature::emptied_row] = emptied_together(p, r) ? 2 : 1;
    return;
  }
  const auto set = [&](Feature feature, bool seen) {
    if (seen) out[feature] = 1;
  };
  set(Feature::first_tile, shown.first >= tile);
  set(Feature::last_tile, shown.last / tile < (p.shape.S - 1) / tile);
  set(Feature::one_visible, shown.count == 1 && p.shape.S > 1);
  set(Feature::tile_hole, shown.hole);
  set(Feature::inside_only, shown.inside && p.shape.S > tile);
}

/// Rows of one mask look alike along the axes in which nothing differs: one of each is enough.
void add_rows(FeatureValues& out, const Problem& p) {
  const MaskSpec& mask = p.mask;
  const auto own = [&](std::size_t axis) {
    return (mask.attend && mask.attend->extents[axis] > 1) ||
           (mask.bias && mask.bias->extents[axis] > 1);
  };
  const bool per_entry = mask.key_range || !mask.diagonal.offsets.empty() || own(0);
  const bool per_row = mask.causal || mask.window || own(2);
  const Shape& s = p.shape;
  if (s.S == 0) return;
  for (std::int64_t b = 0; b < (per_entry ? s.B : std::min<std::int64_t>(s.B, 1)); ++b)
    for (std::int64_t h = 0; h < (own(1) ? s.H_q : std::min<std::int64_t>(s.H_q, 1)); ++h)
      for (std::int64_t i = 0; i < (per_row ? s.L : std::min<std::int64_t>(s.L, 1)); ++i)
        add_row(out, p, {b, h, i});
}

}  // namespace

void add_masks(FeatureValues& out, const Problem& p) {
  const MaskSpec& mask = p.mask;
  for (const Feature absent :
       {Feature::causal, Feature::window, Feature::key_range, Feature::mask_batch,
        Feature::mask_heads, Feature::mask_rows, Feature::mask_keys, Feature::mask_bytes,
        Feature::first_tile, Feature::last_tile, Feature::one_visible, Feature::inside_only,
        Feature::tile_hole, Feature::emptied_row, Feature::bias_batch, Feature::bias_heads,
        Feature::bias_rows, Feature::bias_keys, Feature::bias_values, Feature::bias_format,
        Feature::finite_row}) {
    out[absent] = 0;
  }
  if (mask.causal) out[Feature::causal] = static_cast<std::int8_t>(1 + static_cast<int>(mask.diagonal.kind));
  if (mask.window) out[Feature::window] = window_of(*mask.window);
  if (mask.key_range) out[Feature::key_range] = range_of(*mask.key_range, p.shape.S);
  if (mask.attend) {
    add_axes(out, mask.attend->extents, p.shape, Feature::mask_batch);
    const std::vector<std::uint8_t>& bytes = mask.attend->attend;
    const bool plain =
        std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte <= 1; });
    out[Feature::mask_bytes] = plain ? 1 : 2;
  }
  if (mask.bias) add_bias(out, p);
  add_rows(out, p);
}

}  // namespace qkvet::detail
