// Scale, softcap, ALiBi, LSE and sinks: the scalars and per-head numbers of a problem.
#include <algorithm>
#include <cmath>
#include <limits>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {
namespace {

double draw_scale(Choices& c, const Domain& domain, const Problem& p) {
  if (wants(c, domain.negative_scale, 8)) {
    return c.chance(1, 4) ? 0.0 : -static_cast<double>(c.between(1, 8)) / 8;
  }
  switch (c.below(5)) {
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

double draw_slope(Choices& c, std::uint64_t style, std::int64_t h) {
  if (style == 0) return std::ldexp(1.0, -static_cast<int>(std::min<std::int64_t>(h + 1, 20)));
  if (style == 1) return static_cast<double>(h % 5) * 0.25;  // head 0 has none
  return c.unit();
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

void draw_numbers(Choices& c, const Domain& domain, Problem& p) {
  c.enter(DrawPart::scale);
  const bool due = p.shape.d_k == 0 || domain.negative_scale == Allow::must;
  if (wants(c, due ? Allow::must : domain.explicit_scale, 30)) p.scale = draw_scale(c, domain, p);
  c.enter(DrawPart::softcap);
  if (wants(c, domain.softcap, 13)) {
    constexpr double caps[] = {0.5, 1, 5, 50};
    p.softcap = caps[c.below(4)];
  }
  c.enter(DrawPart::alibi);
  if (wants(c, domain.alibi, 10) && !domain.diagonals.empty()) {
    p.alibi_slopes = make_tensor(p.format, {p.shape.H_q, 1, 1, 1});
    const std::uint64_t style = c.below(3);
    for (std::int64_t h = 0; h < p.shape.H_q; ++h) {
      p.alibi_slopes->set(h, 0, 0, 0, draw_slope(c, style, h));
    }
  }
  c.enter(DrawPart::lse);
  p.want_lse = wants(c, domain.lse, 30);
}

void draw_sinks(Choices& c, const Domain& domain, Problem& p) {
  if (!wants(c, domain.sinks, 11)) return;
  p.sinks = make_tensor(p.format, {p.shape.H_q, 1, 1, 1});
  const bool rows = p.shape.B > 0 && p.shape.L > 0;
  for (std::int64_t h = 0; h < p.shape.H_q; ++h) {
    const std::uint64_t kind = c.below(7);
    double sink = c.gaussian();
    if (kind == 0) sink = 0.0;
    if (kind == 1 || kind == 2) sink = (rows ? top_score(p, h) : 0.0) + 2.0;
    if (kind == 3) sink = 200.0;
    if (kind == 4) sink = -std::numeric_limits<double>::infinity();
    const double most = info(p.format).max;
    p.sinks->set(h, 0, 0, 0, std::min(sink, most));
  }
}

}  // namespace qkvet::detail
