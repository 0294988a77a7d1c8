// Scale, softcap, ALiBi, LSE and sinks: the scalars and per-head numbers of a problem.
#include <algorithm>
#include <cmath>
#include <limits>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {
namespace {

double draw_scale(Choices& c, const Domain& domain, const FeatureValues& w, const Problem& p) {
  std::optional<bool> negative;
  if (w.wants(Feature::scale)) negative = w[Feature::scale] >= 3;
  if (wants(c, domain.negative_scale, 8, negative)) {
    const bool zero = w[Feature::scale] >= 3 ? w.is(Feature::scale, 4) : c.chance(1, 4);
    return zero ? 0.0 : -static_cast<double>(c.between(1, 8)) / 8;
  }
  const std::uint64_t kind = c.below(5);
  switch (w.is(Feature::scale, 1) ? 0 : w.is(Feature::scale, 2) ? std::max<std::uint64_t>(kind, 1) : kind) {
    case 0:
      return 1.0;
    case 1:
      return 0.5;
    case 2:
      return p.shape.d_k > 0 ? 1.0 / static_cast<double>(p.shape.d_k) : 2.0;
    case 3:
      return static_cast<double>(c.between(1, 16)) / 8;
    default:
      return 0.0625 + c.unit();
  }
}

/// A number of 24 bits: exact in f32, so that only a format of fewer bits must round it.
double of_many_bits(Choices& c, std::int64_t least, std::int64_t most) {
  const auto whole = static_cast<double>(c.between(least, most));
  return whole + std::floor(c.unit() * 0x1p18) * 0x1p-18;
}

double draw_softcap(Choices& c, const FeatureValues& w) {
  const bool small = c.chance(1, 2);
  switch (pick(c, w, Feature::softcap, {0, 40, 40, 20})) {
    case 1:
      return small ? 0.5 : 1;
    case 2:
      return small ? 5 : 50;
    default:
      return of_many_bits(c, 0, small ? 2 : 40) + 0x1p-18;
  }
}

double draw_slope(Choices& c, std::uint64_t style, std::int64_t h) {
  if (style == 0) return std::ldexp(1.0, -static_cast<int>(std::min<std::int64_t>(h + 1, 20)));
  if (style == 1) return h % 5 == 3 ? 0.0 : static_cast<double>(2 * (h % 5) + 3) * 0.125;
  return std::floor(c.unit() * 0x1p18) * 0x1p-18;
}

/// Frameworks keep what is one number a head in f32 beside low tensors.
Format per_head_format(Choices& c, Format format) {
  return is_low(format) && c.chance(1, 4) ? Format::binary32 : format;
}

/// The largest score of the head's first row, masks aside.
double top_score(const Problem& p, std::int64_t h) {
  double top = 0.0;
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    double dot = 0.0;
    for (std::int64_t d = 0; d < p.shape.d_k; ++d) {
      dot += p.q.value(0, h, 0, d) * p.k.value(0, p.shape.kv_head(h), j, d);
    }
    top = j == 0 ? scale_value(p) * dot : std::max(top, scale_value(p) * dot);
  }
  return std::isfinite(top) ? top : 0.0;
}

}  // namespace

void draw_numbers(Choices& c, const Domain& domain, const FeatureValues& w, Problem& p) {
  c.enter(DrawPart::scale);
  const bool due = p.shape.d_k == 0 || domain.negative_scale == Allow::must;
  if (wants(c, due ? Allow::must : domain.explicit_scale, 30, wish_of(w, Feature::scale))) {
    p.scale = draw_scale(c, domain, w, p);
  }
  c.enter(DrawPart::softcap);
  if (wants(c, domain.softcap, 13, wish_of(w, Feature::softcap))) p.softcap = draw_softcap(c, w);
  c.enter(DrawPart::alibi);
  if (wants(c, domain.alibi, 10, wish_of(w, Feature::alibi)) && !domain.diagonals.empty()) {
    const std::size_t style = pick(c, w, Feature::alibi, {0, 1, 1, 1}) - 1;
    Format format = per_head_format(c, p.format);
    if (w.is(Feature::alibi, 3) && is_low(p.format)) format = Format::binary32;
    p.alibi_slopes = make_tensor(format, {p.shape.H_q, 1, 1, 1});
    for (std::int64_t h = 0; h < p.shape.H_q; ++h) {
      p.alibi_slopes->set(h, 0, 0, 0, draw_slope(c, style, h));
    }
  }
  c.enter(DrawPart::lse);
  std::optional<bool> lse = wish_of(w, Feature::lse);
  if (!lse) lse = wish_of(w, Feature::layout_lse);
  p.want_lse = wants(c, domain.lse, 30, lse);
}

/// What most of the heads get if a kind is wished for: the others come in its wake.
static std::uint64_t wished_sink(const FeatureValues& w, std::uint64_t kind) {
  constexpr std::uint64_t zero = 0, high = 3, none = 4, ordinary = 5;
  switch (w[Feature::sinks]) {
    case 1:
      return ordinary;
    case 2:
      return kind == high || kind == none ? ordinary : zero;
    case 3:
      return kind == zero ? kind : high;
    case 4:
      return kind == high ? ordinary : none;
    default:
      return kind;
  }
}

void draw_sinks(Choices& c, const Domain& domain, const FeatureValues& w, Problem& p) {
  if (!wants(c, domain.sinks, 11, wish_of(w, Feature::sinks))) return;
  p.sinks = make_tensor(per_head_format(c, p.format), {p.shape.H_q, 1, 1, 1});
  const bool rows = p.shape.B > 0 && p.shape.L > 0;
  for (std::int64_t h = 0; h < p.shape.H_q; ++h) {
    const std::uint64_t kind = wished_sink(w, c.below(7));
    double sink = c.gaussian();
    if (kind == 0) sink = 0.0;
    if (kind == 1 || kind == 2) sink = (rows ? top_score(p, h) : 0.0) + 2.0;
    if (kind == 3) sink = 200.0;
    if (kind == 4) sink = -std::numeric_limits<double>::infinity();
    const double most = info(p.sinks->format).max;
    p.sinks->set(h, 0, 0, 0, std::min(sink, most));
  }
}

void draw_call(Choices& c, const Domain& domain, const FeatureValues& w, Problem& p) {
  if (wants(c, domain.threads, 8, wish_of(w, Feature::thread_count))) {
    constexpr std::int32_t several[] = {2, 2, 3, 4, 7};
    const std::int32_t count = several[c.below(5)];
    p.call.threads = pick(c, w, Feature::thread_count, {0, 1, 2}) == 1 ? 1 : count;
  }
  if (wants(c, domain.splits, 10, wish_of(w, Feature::split_count))) {
    // One part, a few, one for each tile and more, more parts than there are keys.
    const auto S = static_cast<std::int32_t>(std::min<std::int64_t>(p.shape.S, 1 << 20));
    const std::int32_t few[] = {2, 3, 4, 5, 7, S / 16 + 2, S / 32 + 2, S / 64 + 2};
    const std::int32_t count = few[c.below(8)];
    const std::size_t kind = pick(c, w, Feature::split_count, {0, 1, 5, 2});
    p.call.splits = kind == 1 ? 1 : kind == 3 ? S + 1 + static_cast<std::int32_t>(c.below(2)) : count;
  }
}

}  // namespace qkvet::detail
