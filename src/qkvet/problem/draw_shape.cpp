// Shapes: extents at and beside tile borders, L below, at and above S, grouped heads, zero extents,
// all under a budget of work. Long S goes with few rows.
#include <algorithm>
#include <array>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {
namespace {

/// Of a tile size that is usual, sometimes of any multiple of 8 up to 256; its multiples too.
std::int64_t draw_border(Choices& c) {
  constexpr std::array<std::int64_t, 8> tiles{16, 16, 32, 32, 64, 64, 128, 256};
  std::int64_t tile = tiles[c.below(tiles.size())];
  if (c.chance(1, 6)) tile = 8 * c.between(2, 32);
  constexpr std::int64_t longest = 520;
  const std::int64_t most = std::max<std::int64_t>(longest / tile, 1);
  const std::int64_t count = c.chance(1, 4) ? c.between(2, 5) : 1;
  return tile * std::min(count, most) + c.between(-1, 1);
}

std::int64_t draw_long(Choices& c) {
  constexpr std::array<std::int64_t, 8> lengths{511, 512, 513, 1000, 1023, 1024, 1025, 2000};
  if (c.chance(1, 6)) return c.between(2049, 4096);
  return c.chance(1, 2) ? lengths[c.below(lengths.size())] : c.between(512, 2048);
}

std::int64_t draw_keys(Choices& c) {
  const std::uint64_t kind = c.below(100);
  if (kind < 36) return c.between(1, 8);
  if (kind < 42) return c.between(9, 16);
  if (kind < 80) return draw_border(c);
  if (kind < 94) return c.between(17, 300);
  return draw_long(c);
}

/// A number of keys of the size and the place in a tile that are wished for.
std::int64_t draw_wished_keys(Choices& c, const FeatureValues& w) {
  constexpr std::array<std::int64_t, 4> least{1, 17, 65, 301}, most{16, 64, 300, 1100};
  std::int64_t S = draw_keys(c);
  const std::int8_t size = w[Feature::keys], place = w[Feature::keys_in_tile];
  if (size >= 0 && size < 4) {
    S = c.between(least[static_cast<std::size_t>(size)], most[static_cast<std::size_t>(size)]);
  }
  if (size == 2 && w[Feature::lengths] >= 2) S = c.between(65, 100);
  const bool dear = w[Feature::lengths] >= 2 || w[Feature::key_channels] >= 2;
  if (size == 3 && dear) S = c.between(301, 340);
  if (place > 0 && S < 16) S = size == 0 ? 16 : c.between(17, 200);
  if (place == 1) S = std::max<std::int64_t>(S / 64 * 64, 64);
  if (place == 2) S = S / 16 * 16 + (S / 16 % 4 == 0 ? (size == 2 && S > 280 ? -16 : 16) : 0);
  if (place == 3) S = S / 16 * 16 + 1;
  if (place == 4) S = size == 0 ? 15 : std::max<std::int64_t>(S / 16 * 16 - 1, 31);
  if (size == 2 && S < 65) S += 64;
  if (size == 3 && S < 301) S += 64;
  return S;
}

std::int64_t draw_queries(Choices& c, std::int64_t S) {
  const std::uint64_t kind = c.below(100);
  if (kind < 20) return 1;
  if (kind < 40) return c.between(2, 8);
  if (kind < 60) return S;
  if (kind < 70) return S + c.between(1, 5);
  if (kind < 72) return 2 * S;
  if (kind < 84) return std::max<std::int64_t>(1, S - c.between(1, 5));
  if (kind < 93) return draw_border(c);
  if (kind < 99) return c.between(1, 300);
  return draw_long(c);
}

std::int64_t draw_wished_queries(Choices& c, const FeatureValues& w, std::int64_t S) {
  std::int64_t L = draw_queries(c, S);
  const std::int8_t order = w[Feature::lengths], place = w[Feature::rows];
  if (order == 0) return 1;
  if (order == 1) L = c.between(2, std::max<std::int64_t>(S - 1, 2));
  if (order == 2) L = S;
  if (order == 3) L = S + c.between(1, 20);
  if (place < 0 || order == 2) return L;
  if (place == 0) return order == 3 ? L : std::min<std::int64_t>(L, c.between(2, 14));
  // Whole tiles that keep the order of L and S where they can.
  std::int64_t tiles_of = order == 3 ? S / 16 + 1 : order == 1 ? (S - 2) / 16 : c.between(1, 5);
  tiles_of = std::max<std::int64_t>(tiles_of, 1);
  if (order == 1) tiles_of = c.between(1, tiles_of);
  if (place == 1) return 16 * tiles_of + c.between(2, 14);
  return 16 * tiles_of + (place == 3 ? (c.chance(1, 2) ? 1 : -1) : 0);
}

std::int64_t draw_channels(Choices& c, const FeatureValues& w) {
  constexpr std::array<std::int64_t, 6> middle{9, 15, 16, 17, 24, 31};
  constexpr std::array<std::int64_t, 10> wide{32, 32, 64, 64, 64, 80, 96, 128, 160, 256};
  constexpr std::array<std::int64_t, 8> odd{33, 40, 72, 72, 100, 104, 257, 300};
  switch (pick(c, w, Feature::key_channels, {66, 14, 13, 7})) {
    case 0:
      return c.chance(1, 8) ? 8 : c.chance(1, 6) ? c.between(5, 7) : c.between(1, 4);
    case 1:
      return middle[c.below(middle.size())];
    case 2:
      return wide[c.below(wide.size())];
    default:
      return c.chance(1, 24) ? c.between(512, 2000) : odd[c.below(odd.size())];
  }
}

std::int64_t draw_value_channels(Choices& c, const FeatureValues& w, std::int64_t d_k) {
  switch (pick(c, w, Feature::value_channels, {66, 17, 17})) {
    case 0:
      return d_k;
    case 1:
      return d_k > 8 && c.chance(1, 2) ? d_k / 2 : c.between(1, std::max<std::int64_t>(d_k - 1, 1));
    default: {
      constexpr std::array<std::int64_t, 6> more{1, 2, 5, 8, 16, 64};
      return d_k + more[c.below(more.size())];
    }
  }
}

/// Multiply-adds that this case may cost.
std::int64_t draw_work(Choices& c, const CaseSize& size, std::int64_t budget) {
  const std::uint64_t kind = c.below(1000);
  std::int64_t work = 0;
  if (kind < 620) {
    work = c.between(size.usual / 20, size.usual);
  } else if (kind < 960) {
    work = c.between(size.usual, 8 * size.usual);
  } else if (kind < 996) {
    work = c.between(8 * size.usual, 50 * size.usual);
  } else {
    work = c.between(50 * size.usual, size.most);
  }
  return std::min(work, budget);
}

std::int64_t draw_group(Choices& c, const FeatureValues& w) {
  constexpr std::array<std::int64_t, 6> powers{2, 2, 2, 4, 4, 8};
  constexpr std::array<std::int64_t, 5> others{3, 3, 5, 6, 7};
  constexpr std::array<std::int64_t, 7> many{16, 17, 17, 20, 20, 24, 40};
  switch (pick(c, w, Feature::group, {52, 28, 12, 8})) {
    case 0:
      return 1;
    case 1:
      return powers[c.below(powers.size())];
    case 2:
      return others[c.below(others.size())];
    default:
      return many[c.below(many.size())];
  }
}

void draw_heads(Choices& c, const Domain& domain, const FeatureValues& w, Shape& s) {
  constexpr std::array<std::int64_t, 10> several{2, 2, 2, 3, 3, 4, 5, 6, 8, 12};
  std::int64_t group = draw_group(c, w);
  if (domain.grouped == Allow::never) group = 1;
  if (domain.grouped == Allow::must && group == 1) group = 2;
  const std::size_t kv = pick(c, w, Feature::kv_heads, {52, 40, 8});
  if (kv == 2 && group == 1 && domain.grouped != Allow::never) group = c.between(2, 3);
  const std::int64_t many = several[c.below(several.size())];
  s.H_kv = fit(c, domain.H_kv, kv == 0 ? 1 : kv == 1 ? many : group);
  s.H_q = s.H_kv * group;
  const bool fits = s.H_kv > 0 && domain.H_q.min <= s.H_q && s.H_q <= domain.H_q.max;
  if (!fits) fit_heads(domain, s);
}

/// Makes two extents equal or unequal as the domain says; the first one follows the second.
void reconcile(Allow unequal, const Range& first, const Range& second, std::int64_t& a,
               std::int64_t& b) {
  if (unequal == Allow::never && a != b) {
    const std::int64_t least = std::max(first.min, second.min);
    const std::int64_t most = std::min(first.max, second.max);
    a = b = std::max(least, std::min(b, most));
  }
  if (unequal == Allow::must && a == b) {
    if (a < first.max) {
      ++a;
    } else if (a > first.min) {
      --a;
    } else if (b < second.max) {
      ++b;
    } else if (b > second.min) {
      --b;
    }
  }
}

void empty_an_extent(Choices& c, const Domain& domain, Shape& s) {
  const std::uint64_t which = c.below(6);
  const auto zero = [](const Range& range, std::int64_t& extent) {
    if (range.min == 0) extent = 0;
  };
  if (which == 0) zero(domain.S, s.S);
  if (which == 1) zero(domain.L, s.L);
  if (which == 2) zero(domain.d_v, s.d_v);
  if (which == 3 && domain.explicit_scale != Allow::never) zero(domain.d_k, s.d_k);
  if (which == 4) zero(domain.B, s.B);
  if (which == 5 && domain.H_q.min == 0 && domain.H_kv.min == 0) s.H_q = s.H_kv = 0;
}

/// What masks and layouts that are wished for need: axes of more than one place, whole tiles.
void make_room(Choices& c, const FeatureValues& w, Shape& s) {
  const auto any = [&](std::initializer_list<Feature> features) {
    return std::any_of(features.begin(), features.end(), [&](Feature f) { return w.wants(f); });
  };
  if (s.B == 1 && any({Feature::mask_batch, Feature::bias_batch})) s.B = c.between(2, 3);
  const bool heads = any({Feature::mask_heads, Feature::bias_heads});
  if (s.H_q == 1 && heads && !w.is(Feature::group, 0)) s.H_q = 2;
  if (s.H_q == 1 && heads) s.H_q = s.H_kv = 2;
  const bool rows = any({Feature::mask_rows, Feature::bias_rows});
  if (s.L == 1 && rows) s.L = c.between(2, 9);
  const bool keys = any({Feature::mask_keys, Feature::bias_keys, Feature::one_visible,
                         Feature::finite_row, Feature::key_range, Feature::emptied_row});
  if (s.S < 3 && keys) s.S = c.between(3, 12);
  const bool tiles = any({Feature::first_tile, Feature::last_tile, Feature::inside_only});
  if (s.S < 20 && tiles && w[Feature::keys] != 0) s.S = c.between(20, 64);
  if (s.S < 48 && w.wants(Feature::tile_hole) && w[Feature::keys] != 0) s.S = c.between(48, 90);
  if (w.wants(Feature::far_diagonal) && w.is(Feature::causal, 2) && s.S - s.L <= 256) {
    s.S = c.between(290, 600);
    s.L = std::min<std::int64_t>(s.L, 16);
  }
  if (w.wants(Feature::tile_hole) && w.is(Feature::causal, 1) && w[Feature::lengths] != 0) {
    s.L = std::max(s.L, c.between(40, 60));  // the last rows must see three tiles
  }
  constexpr std::size_t order = 2, inner = 3;
  const auto has = [&](Feature a, Feature b, std::size_t kind) {
    return w.is(a, kind) || w.is(b, kind);
  };
  if (s.d_k == 1 && has(Feature::layout_q, Feature::layout_k, inner)) s.d_k = c.between(2, 4);
  if (s.d_v == 1 && has(Feature::layout_v, Feature::layout_o, inner)) s.d_v = c.between(2, 4);
  if (s.d_k > 1 && w.is(Feature::value_channels, 0)) s.d_v = s.d_k;
  if (s.S == 1 && has(Feature::layout_k, Feature::layout_v, order)) s.S = c.between(2, 9);
  if (s.L == 1 && s.H_q == 1 && has(Feature::layout_q, Feature::layout_o, order)) {
    w[Feature::lengths] == 0 ? s.H_kv = s.H_q = 2 : s.L = c.between(2, 5);
  }
  const bool shared = w.is(Feature::layout_q, 4) || w.is(Feature::layout_k, 4) ||
                      w.is(Feature::layout_v, 4);
  if (s.B == 1 && s.H_kv == 1 && shared && !w.is(Feature::batch, 0)) s.B = 2;
  if (s.B == 1 && s.H_kv == 1 && shared) s.H_q *= 2, s.H_kv = 2;
}

Shape ordinary_shape(Choices& c, const Domain& domain, const FeatureValues& w) {
  constexpr std::array<std::int64_t, 8> several{2, 2, 2, 3, 3, 5, 5, 9};
  Shape s;
  const bool one = pick(c, w, Feature::batch, {62, 38}) != 1;
  s.B = fit(c, domain.B, one ? 1 : several[c.below(several.size())]);
  draw_heads(c, domain, w, s);
  s.S = fit(c, domain.S, draw_wished_keys(c, w));
  s.L = fit(c, domain.L, draw_wished_queries(c, w, s.S));
  s.d_k = fit(c, domain.d_k, draw_channels(c, w));
  s.d_v = fit(c, domain.d_v, draw_value_channels(c, w, s.d_k));
  if (w != FeatureValues{}) {
    make_room(c, w, s);
    s.B = fit(c, domain.B, s.B);
    s.S = fit(c, domain.S, s.S);
    s.L = fit(c, domain.L, s.L);
    const bool fits = domain.H_q.min <= s.H_q && s.H_q <= domain.H_q.max &&
                      domain.H_kv.min <= s.H_kv && s.H_kv <= domain.H_kv.max &&
                      (domain.grouped == Allow::may ||
                       (domain.grouped == Allow::must) == (s.H_q != s.H_kv));
    if (!fits) fit_heads(domain, s);
  } else if (c.chance(1, 60)) {
    empty_an_extent(c, domain, s);
  }
  return s;
}

}  // namespace

bool fit_heads(const Domain& domain, Shape& shape) {
  const std::int64_t least = domain.grouped == Allow::must ? 2 : 1;
  const std::int64_t most = std::min(domain.H_kv.max, domain.H_q.max);
  for (std::int64_t kv = std::max<std::int64_t>(domain.H_kv.min, 1); kv <= most; ++kv) {
    const std::int64_t group = std::max(least, (domain.H_q.min + kv - 1) / kv);
    if (domain.grouped == Allow::never && group != 1) continue;
    if (group * kv > domain.H_q.max) continue;
    shape.H_kv = kv;
    shape.H_q = group * kv;
    return true;
  }
  shape.H_q = shape.H_kv = 0;
  return domain.H_q.min == 0 && domain.H_kv.min == 0 && domain.grouped != Allow::must;
}

std::int64_t fit(Choices& choices, const Range& range, std::int64_t wish) {
  const std::int64_t width = std::min<std::int64_t>(range.max - range.min, 16);
  if (wish < range.min) return choices.between(range.min, range.min + width);
  if (wish > range.max) return range.max - choices.between(0, width);
  return wish;
}

Shape draw_shape(Choices& c, const Domain& domain, const FeatureValues& w, const CaseSize& size) {
  if (const auto special = draw_special_shape(c, domain, w, size)) return *special;
  Shape s = ordinary_shape(c, domain, w);
  const bool only_bottom_right = domain.diagonals == std::vector{Diagonal::Kind::bottom_right} &&
                                 domain.causal == Allow::must && domain.empty_rows == Allow::never;
  if (only_bottom_right && s.L > s.S) s.L = std::max(s.S, domain.L.min);
  reconcile(domain.unequal_lengths, domain.L, domain.S, s.L, s.S);
  reconcile(domain.unequal_heads, domain.d_v, domain.d_k, s.d_v, s.d_k);
  trim(c, domain, w, size, draw_work(c, size, domain.work_budget), s);
  reconcile(domain.unequal_lengths, domain.L, domain.S, s.L, s.S);
  reconcile(domain.unequal_heads, domain.d_v, domain.d_k, s.d_v, s.d_k);
  return s;
}

}  // namespace qkvet::detail
