// Shapes: extents at and beside tile borders, L below, at and above S, grouped heads, zero extents,
// all under a budget of work. Long S goes with few rows.
#include <algorithm>
#include <array>
#include <cmath>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {
namespace {

constexpr std::array<std::int64_t, 8> tiles{16, 16, 32, 32, 64, 64, 128, 256};

std::int64_t draw_border(Choices& c) {
  const std::int64_t tile = tiles[c.below(tiles.size())];
  const std::int64_t count = c.chance(1, 4) ? c.between(2, 3) : 1;
  const std::int64_t beside = c.between(-1, 1);
  return std::min<std::int64_t>(tile * count, 300) + beside;
}

std::int64_t draw_long(Choices& c) {
  constexpr std::array<std::int64_t, 8> lengths{511, 512, 513, 1000, 1023, 1024, 1025, 2000};
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

std::int64_t draw_channels(Choices& c) {
  constexpr std::array<std::int64_t, 9> odd{5, 6, 7, 9, 15, 16, 17, 24, 31};
  constexpr std::array<std::int64_t, 10> usual{32, 32, 33, 40, 64, 64, 72, 80, 96, 128};
  constexpr std::array<std::int64_t, 6> wide{100, 160, 192, 256, 257, 300};
  const std::uint64_t kind = c.below(1000);
  if (kind < 580) return c.between(1, 4);
  if (kind < 680) return 8;
  if (kind < 820) return odd[c.below(odd.size())];
  if (kind < 960) return usual[c.below(usual.size())];
  if (kind < 997) return wide[c.below(wide.size())];
  return c.between(512, 2000);
}

/// Multiply-adds that this case may cost: median near 5e3, few above 1e5.
std::int64_t draw_work(Choices& c, std::int64_t budget) {
  const std::uint64_t kind = c.below(1000);
  std::int64_t work = 0;
  if (kind < 620) {
    work = c.between(500, 10'000);
  } else if (kind < 960) {
    work = c.between(10'000, 80'000);
  } else if (kind < 996) {
    work = c.between(80'000, 500'000);
  } else {
    work = c.between(500'000, 20'000'000);
  }
  return std::min(work, budget);
}

void draw_heads(Choices& c, const Domain& domain, Shape& s) {
  constexpr std::array<std::int64_t, 8> kv{1, 1, 1, 1, 2, 2, 2, 3};
  constexpr std::array<std::int64_t, 10> groups{1, 1, 1, 1, 1, 2, 2, 3, 4, 8};
  s.H_kv = fit(c, domain.H_kv, kv[c.below(kv.size())]);
  std::int64_t group = groups[c.below(groups.size())];
  if (domain.grouped == Allow::never) group = 1;
  if (domain.grouped == Allow::must && group == 1) group = 2;
  s.H_q = s.H_kv * group;
  const bool fits = s.H_kv > 0 && domain.H_q.min <= s.H_q && s.H_q <= domain.H_q.max;
  if (!fits) fit_heads(domain, s);
}

double work_of(const Shape& s) {
  double work = static_cast<double>(s.d_k + s.d_v);
  for (std::int64_t extent : {s.B, s.H_q, s.L, s.S}) work *= static_cast<double>(extent);
  return work;
}

/// Cuts one extent (or two that are equal by the domain's wish) so that the work meets the target.
void cut(Shape& s, std::initializer_list<std::int64_t*> extents, std::int64_t floor,
         double target) {
  const double work = work_of(s);
  std::int64_t& first = **extents.begin();
  if (work <= target || first <= std::max<std::int64_t>(floor, 1)) return;
  const double ratio = target / work;
  const bool square = extents.size() == 2;
  const double wish = static_cast<double>(first) * (square ? std::sqrt(ratio) : ratio);
  const std::int64_t next = std::max({static_cast<std::int64_t>(wish), floor, std::int64_t{1}});
  for (std::int64_t* extent : extents) *extent = next;
}

void cut_channels(Shape& s, const Domain& domain, double target) {
  const double work = work_of(s);
  if (work <= target) return;
  const double ratio = target / work;
  const auto less = [&](std::int64_t extent, const Range& range) {
    const auto wish = static_cast<std::int64_t>(static_cast<double>(extent) * ratio);
    return extent == 0 ? 0 : std::max({wish, range.min, std::int64_t{1}});
  };
  s.d_k = less(s.d_k, domain.d_k);
  s.d_v = less(s.d_v, domain.d_v);
}

void cut_heads(Shape& s, const Domain& domain, double target) {
  if (work_of(s) <= target || s.H_q == 0) return;
  Shape least = s;
  if (fit_heads(domain, least) && least.H_q < s.H_q) {
    s.H_q = least.H_q;
    s.H_kv = least.H_kv;
  }
}

void trim(Choices& c, const Domain& domain, std::int64_t budget, Shape& s) {
  const auto target = static_cast<double>(budget);
  const bool same_lengths = domain.unequal_lengths == Allow::never;
  const std::int64_t least = std::max(domain.L.min, domain.S.min);
  const auto cut_rows = [&] {
    if (same_lengths) {
      cut(s, {&s.L, &s.S}, least, target);
    } else {
      cut(s, {&s.L}, domain.L.min, target);
    }
  };
  const std::uint64_t order = c.below(3);
  if (order != 0) cut(s, {&s.B}, domain.B.min, target);
  if (order == 1) cut_channels(s, domain, target);
  if (order == 2) cut_heads(s, domain, target);
  cut_rows();
  cut_channels(s, domain, target);
  cut_heads(s, domain, target);
  cut(s, {&s.B}, domain.B.min, target);
  if (!same_lengths) cut(s, {&s.S}, domain.S.min, target);
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

Shape draw_shape(Choices& c, const Domain& domain) {
  constexpr std::array<std::int64_t, 10> batches{1, 1, 1, 1, 1, 1, 2, 2, 3, 5};
  Shape s;
  s.B = fit(c, domain.B, batches[c.below(batches.size())]);
  draw_heads(c, domain, s);
  s.S = fit(c, domain.S, draw_keys(c));
  s.L = fit(c, domain.L, draw_queries(c, s.S));
  s.d_k = fit(c, domain.d_k, draw_channels(c));
  const bool square = c.chance(5, 8);
  s.d_v = fit(c, domain.d_v, square ? s.d_k : draw_channels(c));
  if (c.chance(1, 60)) empty_an_extent(c, domain, s);
  const bool only_bottom_right = domain.diagonals == std::vector{Diagonal::Kind::bottom_right} &&
                                 domain.causal == Allow::must && domain.empty_rows == Allow::never;
  if (only_bottom_right && s.L > s.S) s.L = std::max(s.S, domain.L.min);
  reconcile(domain.unequal_lengths, domain.L, domain.S, s.L, s.S);
  reconcile(domain.unequal_heads, domain.d_v, domain.d_k, s.d_v, s.d_k);
  trim(c, domain, draw_work(c, domain.work_budget), s);
  reconcile(domain.unequal_lengths, domain.L, domain.S, s.L, s.S);
  reconcile(domain.unequal_heads, domain.d_v, domain.d_k, s.d_v, s.d_k);
  return s;
}

}  // namespace qkvet::detail
