// The two mask tensors, boolean and additive, in every broadcast form, with content of its own per
// batch entry and head.
#include <algorithm>
#include <limits>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {
namespace {

std::size_t count_of(const std::array<std::int64_t, 4>& e) {
  return static_cast<std::size_t>(e[0] * e[1] * e[2] * e[3]);
}

/// How one row of a boolean mask looks.
enum class Pattern : std::uint8_t {
  all,
  few_holes,
  fewer_holes,
  half,
  right_padding,
  no_first_tile,
  no_last_tile,
  one_key,
  inside,
  tile_holes,
  left_padding,
  every_second_tile,
};
constexpr std::uint64_t patterns = 12;

void draw_mask_row(Choices& c, Pattern pattern, std::int64_t tile, std::uint8_t* row,
                   std::int64_t length) {
  const std::int64_t cut = c.between(0, std::max<std::int64_t>(length - 1, 0));
  bool block = true;
  for (std::int64_t j = 0; j < length; ++j) {
    if (j % tile == 0) block = c.chance(1, 2);
    bool attend = true;
    switch (pattern) {
      case Pattern::all:
        break;
      case Pattern::few_holes:
      case Pattern::fewer_holes:
        attend = c.chance(7, 8);
        break;
      case Pattern::half:
        attend = c.chance(1, 2);
        break;
      case Pattern::right_padding:
        attend = j <= cut;
        break;
      case Pattern::left_padding:
        attend = j >= cut;
        break;
      case Pattern::no_first_tile:
        attend = j >= tile;
        break;
      case Pattern::no_last_tile:
        attend = j < (length - 1) / tile * tile;
        break;
      case Pattern::one_key:
        attend = j == cut;
        break;
      case Pattern::inside:
        attend = j % tile != 0 && j % tile != tile - 1;
        break;
      case Pattern::tile_holes:
        attend = block;
        break;
      case Pattern::every_second_tile:
        attend = j / tile % 2 == 0;
        break;
    }
    row[j] = attend ? 1 : 0;
  }
}

std::optional<Pattern> wished_pattern(const FeatureValues& w) {
  if (w.wants(Feature::first_tile)) return Pattern::no_first_tile;
  if (w.wants(Feature::last_tile)) return Pattern::no_last_tile;
  if (w.wants(Feature::one_visible)) return Pattern::one_key;
  if (w.wants(Feature::inside_only)) return Pattern::inside;
  if (w.wants(Feature::tile_hole)) return Pattern::every_second_tile;
  return std::nullopt;
}

/// For the C ABI any byte but 0 means attend.
void draw_bytes(Choices& c, std::vector<std::uint8_t>& attend) {
  constexpr std::uint8_t bytes[] = {255, 2, 128, 254};
  const bool mixed = c.chance(1, 2);
  const std::uint8_t same = bytes[c.below(4)];
  for (std::uint8_t& byte : attend) {
    if (byte != 0) byte = mixed ? static_cast<std::uint8_t>(c.between(1, 255)) : same;
  }
}

/// What a bias holds beside finite numbers.
enum class Hidden : std::uint8_t { none, infinity, lowest, ten_thousand };

double sentinel(Hidden hidden, const FormatInfo& format) {
  if (hidden == Hidden::infinity) return -std::numeric_limits<double>::infinity();
  return hidden == Hidden::lowest ? -format.max : -1e4;
}

double draw_bias(Choices& c, std::uint64_t style) {
  if (style == 0) return static_cast<double>(c.between(-16, 16)) / 8;
  return c.gaussian() * (style == 1 ? 1.0 : 4.0);
}

Hidden draw_hidden(Choices& c, const Domain& domain, const FeatureValues& w) {
  const std::uint64_t kind = c.below(16);
  Hidden hidden = kind < 8    ? Hidden::none
                  : kind < 13 ? Hidden::infinity
                  : kind < 15 ? Hidden::lowest
                              : Hidden::ten_thousand;
  if (w.wants(Feature::bias_values)) hidden = static_cast<Hidden>(w[Feature::bias_values] - 1);
  const bool finite = hidden == Hidden::lowest || hidden == Hidden::ten_thousand;
  if (w.wants(Feature::finite_row) && !finite) hidden = Hidden::lowest;
  if (domain.bias_infinite == Allow::never && hidden == Hidden::infinity) hidden = Hidden::none;
  return domain.bias_infinite == Allow::must ? Hidden::infinity : hidden;
}

Format draw_bias_format(Choices& c, const Domain& domain, const FeatureValues& w, Format own) {
  Format format = own;
  if (c.chance(1, 8)) format = domain.formats[c.below(domain.formats.size())];
  // Frameworks keep a bias in f32 beside low tensors.
  if (is_low(own) && c.chance(1, 8)) format = Format::binary32;
  if (w.is(Feature::bias_format, 1)) return own;
  if (!w.is(Feature::bias_format, 2) || format != own) return format;
  for (const Format other : domain.formats) {
    if (other != own) format = other;
  }
  return format == own && is_low(own) ? Format::binary32 : format;
}

}  // namespace

std::array<std::int64_t, 4> draw_extents(Choices& c, const FeatureValues& w, Feature first,
                                         const Shape& s) {
  // All 16 broadcast forms; the full one and [1,1,L,S] are what most users have.
  const std::uint64_t kind = c.below(20);
  const std::uint64_t form = kind < 16 ? kind : kind < 18 ? 12 : 15;
  const std::array<std::int64_t, 4> full{s.B, s.H_q, s.L, s.S};
  std::array<std::int64_t, 4> extents{1, 1, 1, 1};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const auto feature = static_cast<Feature>(static_cast<std::size_t>(first) + axis);
    const bool own = w.wants(feature) ? w.is(feature, 2) : ((form >> axis) & 1) != 0;
    if (own) extents[axis] = full[axis];
  }
  return extents;
}

BoolMask draw_bool_mask(Choices& c, const FeatureValues& w, const Shape& s) {
  constexpr std::int64_t tiles[] = {4, 8, 16, 32, 64};
  BoolMask mask{draw_extents(c, w, Feature::mask_batch, s), {}};
  std::uint64_t pattern = c.below(patterns);
  std::int64_t tile = tiles[c.below(5)];
  if (const auto wished = wished_pattern(w)) {
    pattern = static_cast<std::uint64_t>(*wished);
    tile = std::max<std::int64_t>(std::min<std::int64_t>(tile, s.S / 3) / 16 * 16, 16);
    if (w[Feature::mask_keys] < 1) mask.extents[3] = s.S;
  }
  mask.attend.resize(count_of(mask.extents));
  const std::int64_t length = mask.extents[3];
  for (std::size_t at = 0; length > 0 && at < mask.attend.size();
       at += static_cast<std::size_t>(length)) {
    draw_mask_row(c, static_cast<Pattern>(pattern), tile, mask.attend.data() + at, length);
  }
  const bool bytes = c.chance(1, 8);
  if (w.wants(Feature::mask_bytes) ? w.is(Feature::mask_bytes, 2) : bytes) {
    draw_bytes(c, mask.attend);
  }
  return mask;
}

Tensor draw_bias_tensor(Choices& c, const Domain& domain, const FeatureValues& w,
                        const Problem& p) {
  const Format format = draw_bias_format(c, domain, w, p.format);
  Tensor bias = make_tensor(format, draw_extents(c, w, Feature::bias_batch, p.shape));
  const std::uint64_t style = c.below(3);
  const Hidden hidden = draw_hidden(c, domain, w);
  const double low = sentinel(hidden, info(format));
  // A whole row of a finite sentinel hides nothing: all its keys are as far down.
  bool rows = hidden >= Hidden::lowest && c.chance(1, 4);
  if (w[Feature::finite_row] >= 0) rows = w.wants(Feature::finite_row);
  const std::int64_t length = bias.extents[3];
  std::int64_t place = 0;
  bool row = false, any = false;
  for (std::uint64_t& bits : bias.bits) {
    if (rows && place % length == 0) row = place == 0 || c.chance(1, 3);
    ++place;
    const bool hides = hidden != Hidden::none && c.chance(1, 4);
    bits = encode(format, (rows && row) || hides ? low : draw_bias(c, style));
    any = any || is_infinite(format, bits);
  }
  if (hidden == Hidden::infinity && !any && !bias.bits.empty() &&
      (domain.bias_infinite == Allow::must || w.wants(Feature::bias_values))) {
    bias.bits.back() = encode(format, low);
  }
  return bias;
}

}  // namespace qkvet::detail
