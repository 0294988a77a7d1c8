// Shapes of their own kind beside the ordinary ones: whole tiles throughout, very many keys, batch
// entries or heads, very many outputs. Each costs more than an ordinary case, so they are rare.
#include <algorithm>
#include <array>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {
namespace {

/// Whole tiles with whole tiles of keys or of heads do not come for less.
std::int64_t most_aligned_work(const CaseSize& size, const FeatureValues& w) {
  const std::int64_t usual = 80 * size.usual;
  if (w == FeatureValues{} || usual >= 400'000) return usual;
  return w.is(Feature::group, 3) || w.is(Feature::keys, 3) ? 400'000 : usual * 3 / 2;
}

/// Whole tiles that cost less, step by step.
void shorten(std::int64_t most, Shape& s) {
  const auto dear = [&] { return s.work() > most; };
  if (dear()) s.d_v = s.d_v / s.d_k * 32, s.d_k = 32, s.d_v = std::max<std::int64_t>(s.d_v, 32);
  if (dear() && s.L != s.S) s.L = std::min<std::int64_t>(s.L, 32);
  if (dear() && s.L != s.S) s.L = 16;
  if (dear() && s.L > s.S) s.S = 16;
  if (dear()) s.B = 1;
}

/// Every extent a multiple of usual tiles: what kernels have their fast paths for.
Shape aligned_shape(Choices& c, const FeatureValues& w, const CaseSize& size) {
  constexpr std::array<std::int64_t, 8> rows{16, 32, 32, 64, 64, 64, 96, 128};
  constexpr std::array<std::int64_t, 10> keys{16, 48, 64, 64, 96, 128, 192, 192, 256, 384};
  constexpr std::array<std::int64_t, 6> channels{32, 64, 64, 64, 96, 128};
  Shape s;
  s.B = pick(c, w, Feature::batch, {75, 25}) == 1 ? 2 : 1;
  s.H_kv = pick(c, w, Feature::kv_heads, {75, 20, 5}) == 0 ? 1 : 2;
  constexpr std::array<std::int64_t, 4> groups{1, 2, 3, 16};
  s.H_q = s.H_kv * groups[pick(c, w, Feature::group, {75, 15, 7, 3})];
  if (w.is(Feature::kv_heads, 2)) s.H_kv = 2, s.H_q = 4;
  s.L = rows[c.below(rows.size())];
  s.S = c.chance(1, 3) ? s.L : keys[c.below(keys.size())];
  constexpr std::array<std::int64_t, 4> of_size{16, 64, 192, 384};
  if (w.wants(Feature::keys) || w.is(Feature::keys, 0)) {
    s.S = of_size[static_cast<std::size_t>(w[Feature::keys])];
  }
  if (w.is(Feature::keys_in_tile, 1)) s.S = (s.S + 63) / 64 * 64;
  if (w.is(Feature::keys_in_tile, 2) && s.S % 64 == 0) s.S = s.S > 64 ? s.S - 16 : 48;
  if (w.is(Feature::lengths, 1) && s.L >= s.S) s.L = std::max<std::int64_t>(s.S / 2, 16);
  if (w.is(Feature::lengths, 1) && s.L >= s.S) s.S = s.L + 64;
  if (w.is(Feature::lengths, 2)) s.S = s.L;
  if (w.is(Feature::lengths, 3)) s.L = s.S + 32;
  s.d_k = channels[c.below(channels.size())];
  s.d_v = s.d_k;
  const std::size_t other = pick(c, w, Feature::value_channels, {76, 12, 12});
  if (other == 1 && s.d_k > 32) s.d_v = 32;
  if (other == 2) s.d_v += 32;
  shorten(most_aligned_work(size, w), s);
  return s;
}

/// Indices of keys that need more than 12 or 15 bits.
Shape long_shape(Choices& c, const FeatureValues& w) {
  constexpr std::array<std::int64_t, 8> beyond{32769, 32770, 32800, 40000, 49152, 65535, 65536, 65537};
  constexpr std::array<std::int64_t, 7> below{4096 + 1, 5000, 8191, 8192, 8193, 16385, 32768};
  Shape s;
  const bool far = w.is(Feature::keys, 5) || (!w.is(Feature::keys, 4) && c.chance(1, 2));
  s.S = far ? beyond[c.below(beyond.size())] : below[c.below(below.size())];
  if (c.chance(1, 3)) s.S = far ? c.between(32769, 66000) : c.between(4097, 32767);
  s.L = c.chance(1, 4) ? 2 : 1;
  s.H_q = c.chance(1, 6) ? 2 : 1;
  s.d_k = c.between(1, 2);
  s.d_v = c.between(1, 2);
  return s;
}

/// Numbers of batch entries or heads that need more than 16 bits.
Shape many_shape(Choices& c, const FeatureValues& w) {
  constexpr std::array<std::int64_t, 4> counts{65536, 65537, 65537, 65540};
  const std::int64_t count = counts[c.below(counts.size())];
  const bool heads = c.chance(1, 2);
  Shape s;
  if (w.is(Feature::kv_heads, 3) || (heads && !w.is(Feature::batch, 2))) {
    s.H_q = count;
    s.H_kv = c.chance(1, 2) ? count : 1;
  } else {
    s.B = count;
  }
  s.S = c.between(1, 2);
  return s;
}

/// So many outputs that a fault in one of 100,000 shows, from few keys.
Shape wide_shape(Choices& c) {
  constexpr std::array<std::int64_t, 5> channels{64, 100, 128, 256, 257};
  Shape s;
  s.d_v = channels[c.below(channels.size())];
  s.B = c.between(1, 2);
  s.H_q = c.between(1, 3);
  s.L = c.between(110'000, 330'000) / (s.d_v * s.B * s.H_q) + 1;
  s.S = c.between(1, 3);
  s.d_k = c.between(1, 2);
  return s;
}

/// A key or a row costs the judge about as much as 64 multiply-adds: what is very long or very many
/// is left to those who have that to spend.
bool affordable(const Shape& s, const Domain& domain, std::int64_t most) {
  const auto in = [](const Range& range, std::int64_t extent) {
    return range.min <= extent && extent <= range.max;
  };
  return s.rows() * s.S <= most / 64 && s.work() <= most &&
         in(domain.B, s.B) && in(domain.H_q, s.H_q) && in(domain.H_kv, s.H_kv) &&
         in(domain.L, s.L) && in(domain.S, s.S) && in(domain.d_k, s.d_k) && in(domain.d_v, s.d_v) &&
         (domain.grouped == Allow::may || (domain.grouped == Allow::must) == (s.H_q != s.H_kv)) &&
         (domain.unequal_lengths == Allow::may ||
          (domain.unequal_lengths == Allow::must) == (s.L != s.S)) &&
         (domain.unequal_heads == Allow::may ||
          (domain.unequal_heads == Allow::must) == (s.d_k != s.d_v));
}

enum class Kind : std::uint8_t { ordinary, aligned, long_keys, many, wide };

Kind kind_of(Choices& c, const FeatureValues& w) {
  const std::uint64_t kind = c.below(10'000);
  if (w.is(Feature::keys, 4) || w.is(Feature::keys, 5)) return Kind::long_keys;
  if (w.is(Feature::batch, 2) || w.is(Feature::kv_heads, 3)) return Kind::many;
  if (w.is(Feature::aligned, 1)) return Kind::aligned;
  if (w != FeatureValues{}) return kind < 9'920 ? Kind::ordinary : Kind::wide;
  if (kind < 9'460) return Kind::ordinary;
  return kind < 9'910 ? Kind::aligned : kind < 9'990 ? Kind::long_keys : Kind::many;
}

}  // namespace

std::optional<Shape> draw_special_shape(Choices& c, const Domain& domain, const FeatureValues& w,
                                        const CaseSize& size) {
  const Kind kind = kind_of(c, w);
  if (kind == Kind::ordinary) return std::nullopt;
  const Shape s = kind == Kind::aligned     ? aligned_shape(c, w, size)
                  : kind == Kind::long_keys ? long_shape(c, w)
                  : kind == Kind::wide      ? wide_shape(c)
                                            : many_shape(c, w);
  const std::int64_t most =
      kind == Kind::aligned ? domain.work_budget : std::min(domain.work_budget, size.most);
  const bool cheap = kind == Kind::wide || s.work() <= most_aligned_work(size, w);
  if (!cheap || !affordable(s, domain, most)) return std::nullopt;
  return s;
}

}  // namespace qkvet::detail
