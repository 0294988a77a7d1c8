// From choices to a Problem: the order in which the parts are drawn, and what happens if they do
// not fit the domain together.
#include <algorithm>
#include <limits>
#include <qkvet/num/float_environment.hpp>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet {
namespace {

using detail::Values;

Problem blank(const Shape& s, Format format) {
  Problem p;
  p.shape = s;
  p.format = format;
  p.q = make_tensor(format, {s.B, s.H_q, s.L, s.d_k});
  p.k = make_tensor(format, {s.B, s.H_kv, s.S, s.d_k});
  p.v = make_tensor(format, {s.B, s.H_kv, s.S, s.d_v});
  return p;
}

bool sizes_fit(const Shape& s, std::int64_t work_budget) {
  const auto product = [](std::initializer_list<std::int64_t> extents) {
    double size = 1;
    for (std::int64_t extent : extents)
      size *= static_cast<double>(std::max<std::int64_t>(extent, 1));
    return size;
  };
  const double most = 0x1p28;
  const double work = product({s.B, s.H_q, s.L, s.S, s.d_k + s.d_v});
  const bool empty = s.B == 0 || s.H_q == 0 || s.L == 0 || s.S == 0 || s.d_k + s.d_v == 0;
  return product({s.B, s.H_q, s.L, s.d_k}) <= most && product({s.B, s.H_kv, s.S, s.d_k}) <= most &&
         product({s.B, s.H_kv, s.S, s.d_v}) <= most && product({s.B, s.H_q, s.L, s.d_v}) <= most &&
         product({s.B, s.H_q, s.L, s.S}) <= most &&
         (empty || work <= static_cast<double>(work_budget));
}

/// Simple forms of all features that the domain demands.
Problem plain(const Domain& domain, const Shape& shape) {
  Problem p = blank(shape, domain.formats.empty() ? Format::binary32 : domain.formats.front());
  if (shape.d_k == 0 || domain.explicit_scale == Allow::must ||
      domain.negative_scale == Allow::must) {
    p.scale = domain.negative_scale == Allow::must ? -1.0 : 1.0;
  }
  for (std::uint64_t& bits : p.v.bits) bits = encode(p.format, 1.0);
  MaskSpec& mask = p.mask;
  if (!domain.diagonals.empty()) {
    mask.causal = domain.causal == Allow::must;
    if (domain.window == Allow::must) mask.window = Window{};
    if (domain.alibi == Allow::must) p.alibi_slopes = make_tensor(p.format, {shape.H_q, 1, 1, 1});
    if (uses_diagonal(p)) mask.diagonal.kind = domain.diagonals.front();
    if (mask.diagonal.kind == Diagonal::Kind::fixed) mask.diagonal.offsets = {shape.S};
  }
  const auto B = static_cast<std::size_t>(shape.B);
  if (domain.key_range == Allow::must) {
    mask.key_range =
        KeyRange{std::vector<std::int64_t>(B, 0), std::vector<std::int64_t>(B, shape.S)};
  }
  if (domain.bool_mask == Allow::must) mask.attend = BoolMask{{1, 1, 1, 1}, {1}};
  if (domain.bias == Allow::must || domain.bias_infinite == Allow::must) {
    mask.bias = make_tensor(p.format, {1, 1, 1, std::max<std::int64_t>(shape.S, 1)});
    if (shape.S == 0) mask.bias = make_tensor(p.format, {1, 1, 1, 1});
    if (domain.bias_infinite == Allow::must) {
      mask.bias->bits.back() = encode(p.format, -std::numeric_limits<double>::infinity());
    }
  }
  if (domain.softcap == Allow::must) p.softcap = 1.0;
  if (domain.sinks == Allow::must) p.sinks = make_tensor(p.format, {shape.H_q, 1, 1, 1});
  p.want_lse = domain.lse == Allow::must;
  if (domain.threads == Allow::must) p.call.threads = 1;
  if (domain.splits == Allow::must) p.call.splits = 1;
  if (domain.strided == Allow::must) p.layouts.q.shift = 1;
  if (domain.nonfinite == Allow::must) {
    for (Tensor* tensor : {&p.v, &p.k, &p.q}) {
      if (tensor->bits.empty()) continue;
      tensor->bits[0] = encode(p.format, std::numeric_limits<double>::quiet_NaN());
      break;
    }
  }
  return p;
}

/// A few values of an extent worth trying: small, at the lower end, and beside another extent's
/// lower end.
std::vector<std::int64_t> tries(const Range& range, const Range& other) {
  std::vector<std::int64_t> out;
  for (std::int64_t x :
       {std::int64_t{1}, std::int64_t{2}, range.min, range.min + 1, other.min, other.min + 1}) {
    const bool known = std::find(out.begin(), out.end(), x) != out.end();
    if (range.min <= x && x <= range.max && !known) out.push_back(x);
  }
  return out;
}

/// Demands that contradict each other whatever the shape.
bool contradictory(const Domain& d) {
  const bool diagonal =
      d.causal == Allow::must || d.window == Allow::must || d.alibi == Allow::must;
  return d.formats.empty() || (d.diagonals.empty() && diagonal) ||
         (d.negative_scale == Allow::must && d.explicit_scale == Allow::never) ||
         (d.bias_infinite == Allow::must && d.bias == Allow::never);
}

bool lengths_allowed(Allow unequal, std::int64_t a, std::int64_t b) {
  return unequal == Allow::may || (unequal == Allow::must) == (a != b);
}

bool accept(const Domain& domain, const Shape& shape, Problem& found) {
  if (!sizes_fit(shape, domain.work_budget) ||
      !lengths_allowed(domain.unequal_lengths, shape.L, shape.S) ||
      !lengths_allowed(domain.unequal_heads, shape.d_k, shape.d_v)) {
    return false;
  }
  found = plain(domain, shape);
  if (!outside(domain, found)) return true;
  if (domain.empty_rows != Allow::must) return false;
  for (std::uint64_t way = 0; way < detail::empty_ways; ++way) {  // first choices of the empty stream: one way after the other
    const std::uint8_t bytes[] = {0, 0, 0, static_cast<std::uint8_t>(way)};
    const std::size_t skipped = (shape.B < 2) + (shape.H_q < 2) + (shape.L < 2);
    Choices choices = Choices::from_bytes(std::span(bytes).subspan(skipped));
    found = plain(domain, shape);
    if (detail::empty_a_row(choices, domain, found) && !outside(domain, found)) return true;
  }
  return false;
}

}  // namespace

std::optional<Problem> smallest(const Domain& domain) {
  const DefaultFloatEnvironment environment;
  if (contradictory(domain)) return std::nullopt;
  Problem found;
  Shape s;
  for (std::int64_t B : tries(domain.B, domain.B)) {
    s.B = B;
    for (const bool heads : {true, false}) {
      const bool zero = domain.H_q.min == 0 && domain.H_kv.min == 0;
      if (heads ? !detail::fit_heads(domain, s) : !zero) continue;
      if (!heads) s.H_q = s.H_kv = 0;
      for (std::int64_t L : tries(domain.L, domain.S))
        for (std::int64_t S : tries(domain.S, domain.L))
          for (std::int64_t d_k : tries(domain.d_k, domain.d_v))
            for (std::int64_t d_v : tries(domain.d_v, domain.d_k)) {
              s.L = L;
              s.S = S;
              s.d_k = d_k;
              s.d_v = d_v;
              if (accept(domain, s, found)) return found;
            }
    }
  }
  return std::nullopt;
}

std::int64_t least_work(const Domain& domain) {
  Shape s;
  if (!detail::fit_heads(domain, s)) return 0;
  double work = static_cast<double>(std::max<std::int64_t>(domain.d_k.min, 1)) +
                static_cast<double>(std::max<std::int64_t>(domain.d_v.min, 1));
  for (const std::int64_t least : {domain.B.min, s.H_q, domain.L.min, domain.S.min}) {
    work *= static_cast<double>(std::max<std::int64_t>(least, 1));
  }
  return work < 0x1p62 ? static_cast<std::int64_t>(work) : std::int64_t{1} << 62;
}

Drawn draw(Choices& c, const Domain& domain, const FeatureValues& wishes, const CaseSize& size) {
  const DefaultFloatEnvironment environment;
  c.enter(DrawPart::stratum);
  const Values stratum = detail::draw_stratum(c, domain, wishes);
  const std::string_view name = strata()[static_cast<std::size_t>(stratum)].name;
  const Format format =
      domain.formats.empty() ? Format::binary32 : domain.formats[c.below(domain.formats.size())];
  c.enter(DrawPart::shape);
  const Shape shape = detail::draw_shape(c, domain, wishes, size);
  if (sizes_fit(shape, domain.work_budget)) {
    Problem p = blank(shape, format);
    detail::draw_numbers(c, domain, wishes, p);
    detail::draw_masks(c, domain, stratum, wishes, p);
    c.enter(DrawPart::values);
    detail::draw_values(c, stratum, p);
    c.enter(DrawPart::nonfinite);
    detail::draw_nonfinite(c, domain, stratum, p);
    detail::share_where_wished(c, wishes, p);
    c.enter(DrawPart::sinks);
    detail::draw_sinks(c, domain, wishes, p);
    c.enter(DrawPart::layouts);
    detail::draw_layouts(c, domain, wishes, p);
    c.enter(DrawPart::call);
    detail::draw_call(c, domain, wishes, p);
    if (!outside(domain, p)) return {std::move(p), name};
  }
  std::optional<Problem> fallback = smallest(domain);
  if (fallback) return {std::move(*fallback), name};
  return {blank(Shape{}, format), name};
}

}  // namespace qkvet
