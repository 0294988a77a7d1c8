// Masks: each part drawn by itself, in every broadcast form, with content of its own per batch
// entry and head.
#include <algorithm>
#include <limits>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {
namespace {

bool allows(const Domain& domain, Diagonal::Kind kind) {
  return std::find(domain.diagonals.begin(), domain.diagonals.end(), kind) !=
         domain.diagonals.end();
}

/// Past lengths, bottom right without its name, one off either way, and far off.
std::int64_t draw_offset(Choices& c, const Shape& s, bool keep_rows) {
  const std::int64_t least = keep_rows ? 0 : -s.L;
  std::int64_t offset = 0;
  switch (c.below(7)) {
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
    default:
      offset = c.between(-s.L, s.S + 1);
      break;
  }
  return std::max(offset, least);
}

void draw_diagonal(Choices& c, const Domain& domain, Problem& p) {
  const bool keep_rows = domain.empty_rows == Allow::never;
  std::vector<Diagonal::Kind> kinds = domain.diagonals;
  if (keep_rows && p.shape.L > p.shape.S && kinds.size() > 1) {
    std::erase(kinds, Diagonal::Kind::bottom_right);
  }
  if (kinds.empty()) return;
  Diagonal& diagonal = p.mask.diagonal;
  diagonal.kind = kinds[c.below(kinds.size())];
  if (diagonal.kind != Diagonal::Kind::fixed) return;
  // Rows that fall off the front are drawn, but not often.
  const bool mostly_kept = keep_rows || c.chance(7, 8);
  const bool each = p.shape.B == 0 || (p.shape.B > 1 && c.chance(1, 2));
  const std::int64_t count = each ? p.shape.B : 1;
  for (std::int64_t b = 0; b < count; ++b) {
    diagonal.offsets.push_back(draw_offset(c, p.shape, mostly_kept));
  }
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
      return c.between(0, S);
  }
}

KeyRange draw_key_range(Choices& c, const Shape& s) {
  KeyRange range;
  for (std::int64_t b = 0; b < s.B; ++b) {
    std::int64_t start = 0, end = s.S;
    const std::uint64_t kind = s.S < 2 ? 0 : c.below(16);
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

std::array<std::int64_t, 4> draw_extents(Choices& c, const Shape& s) {
  // All 16 broadcast forms; the full one and [1,1,L,S] are what most users have.
  const std::uint64_t kind = c.below(20);
  const std::uint64_t form = kind < 16 ? kind : kind < 18 ? 12 : 15;
  const std::array<std::int64_t, 4> full{s.B, s.H_q, s.L, s.S};
  std::array<std::int64_t, 4> extents{1, 1, 1, 1};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    if ((form >> axis) & 1) extents[axis] = full[axis];
  }
  return extents;
}

std::size_t count_of(const std::array<std::int64_t, 4>& e) {
  return static_cast<std::size_t>(e[0] * e[1] * e[2] * e[3]);
}

/// One row of a boolean mask, by a pattern.
void draw_mask_row(Choices& c, std::uint64_t pattern, std::int64_t tile, std::uint8_t* row,
                   std::int64_t length) {
  const std::int64_t cut = c.between(0, std::max<std::int64_t>(length - 1, 0));
  bool block = true;
  for (std::int64_t j = 0; j < length; ++j) {
    if (j % tile == 0) block = c.chance(1, 2);
    bool attend = true;
    switch (pattern) {
      case 0:
        break;
      case 1:
      case 2:
        attend = c.chance(7, 8);
        break;
      case 3:
        attend = c.chance(1, 2);
        break;
      case 4:
        attend = j <= cut;
        break;  // padding on the right
      case 5:
        attend = j >= tile;
        break;  // the whole first tile masked
      case 6:
        attend = j < (length - 1) / tile * tile;
        break;  // the whole last tile
      case 7:
        attend = j == cut;
        break;  // one visible key
      case 8:
        attend = j % tile != 0 && j % tile != tile - 1;
        break;  // the inside of tiles only
      default:
        attend = block;
        break;  // holes of a tile's size
    }
    row[j] = attend ? 1 : 0;
  }
}

BoolMask draw_bool_mask(Choices& c, const Shape& s) {
  constexpr std::int64_t tiles[] = {4, 8, 16, 32, 64};
  BoolMask mask{draw_extents(c, s), {}};
  mask.attend.resize(count_of(mask.extents));
  const std::uint64_t pattern = c.below(10);
  const std::int64_t tile = tiles[c.below(5)];
  const std::int64_t length = mask.extents[3];
  for (std::size_t at = 0; length > 0 && at < mask.attend.size();
       at += static_cast<std::size_t>(length)) {
    draw_mask_row(c, pattern, tile, mask.attend.data() + at, length);
  }
  return mask;
}

double draw_bias(Choices& c, std::uint64_t style, std::uint64_t hidden, const FormatInfo& format) {
  if (hidden != 0 && c.chance(1, 4)) {
    if (hidden == 1) return -std::numeric_limits<double>::infinity();
    return hidden == 2 ? -format.max : -1e4;
  }
  if (style == 0) return static_cast<double>(c.between(-16, 16)) / 8;
  return c.gaussian() * (style == 1 ? 1.0 : 4.0);
}

Tensor draw_bias_tensor(Choices& c, const Domain& domain, const Problem& p) {
  Format format = p.format;
  if (c.chance(1, 8)) format = domain.formats[c.below(domain.formats.size())];
  // Frameworks keep a bias in f32 beside low tensors.
  if (is_low(p.format) && c.chance(1, 8)) format = Format::binary32;
  Tensor bias = make_tensor(format, draw_extents(c, p.shape));
  const std::uint64_t style = c.below(3);
  const std::uint64_t kind = c.below(16);
  std::uint64_t hidden = kind < 8 ? 0 : kind < 14 ? 1 : kind == 14 ? 2 : 3;
  if (domain.bias_infinite == Allow::never && hidden == 1) hidden = 0;
  if (domain.bias_infinite == Allow::must) hidden = 1;
  bool any = false;
  for (std::uint64_t& bits : bias.bits) {
    const double value = draw_bias(c, style, hidden, info(format));
    bits = encode(format, value);
    any = any || is_infinite(format, bits);
  }
  if (domain.bias_infinite == Allow::must && !any && !bias.bits.empty()) {
    bias.bits.back() = encode(format, -std::numeric_limits<double>::infinity());
  }
  return bias;
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

bool wants(Choices& choices, Allow allow, std::uint64_t percent) {
  if (allow == Allow::may) return choices.chance(percent, 100);
  return allow == Allow::must;
}

void draw_masks(Choices& c, const Domain& domain, Values stratum, Problem& p) {
  c.enter(DrawPart::causal);
  const bool diagonals = !domain.diagonals.empty();
  const bool careful = domain.empty_rows == Allow::never && p.shape.L > p.shape.S &&
                       domain.diagonals == std::vector{Diagonal::Kind::bottom_right};
  p.mask.causal =
      diagonals && wants(c, domain.causal, 33) && !(careful && domain.causal == Allow::may);
  c.enter(DrawPart::window);
  if (diagonals && wants(c, domain.window, 18)) {
    const auto left = draw_side(c, p.shape.S);
    const auto right = draw_side(c, p.shape.S);
    p.mask.window = Window{left, right};
  }
  c.enter(DrawPart::diagonal);
  if (uses_diagonal(p)) draw_diagonal(c, domain, p);
  c.enter(DrawPart::key_range);
  if (wants(c, domain.key_range, 18)) p.mask.key_range = draw_key_range(c, p.shape);
  c.enter(DrawPart::bool_mask);
  if (wants(c, domain.bool_mask, 22)) p.mask.attend = draw_bool_mask(c, p.shape);
  c.enter(DrawPart::bias);
  const Allow bias = domain.bias_infinite == Allow::must ? Allow::must : domain.bias;
  if (wants(c, bias, 22)) p.mask.bias = draw_bias_tensor(c, domain, p);
  c.enter(DrawPart::rows);
  if (stratum == Values::empty_rows || domain.empty_rows == Allow::must) {
    empty_a_row(c, domain, p);
  } else if (domain.empty_rows == Allow::never) {
    keep_every_row(c, domain, p);
  } else if (c.chance(9, 10)) {
    repair_rows(c, p);
  }
}

}  // namespace qkvet::detail
