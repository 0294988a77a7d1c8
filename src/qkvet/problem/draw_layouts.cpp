// Memory layouts: padded rows and slices of longer ones, other axis orders, an inner stride of 2,
// misalignment, and stride 0 where values agree. Each tensor has its own.
#include <algorithm>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {
namespace {

using Extents = std::array<std::int64_t, 4>;

/// Strides of a dense tensor whose axes lie in memory in the given order, outermost first; lines of
/// the axis number `at` in that order are `pad` longer, elements `step` apart.
Extents dense(const Extents& extents, const std::array<std::size_t, 4>& order, std::int64_t pad,
              std::int64_t step, std::size_t at = 3) {
  Extents strides{};
  std::int64_t stride = step;
  for (std::size_t n = 4; n-- > 0;) {
    strides[order[n]] = stride;
    stride *= std::max<std::int64_t>(extents[order[n]] + (n == at && n != 3 ? pad : 0), 1);
    if (n == 3 && at == 3) stride += pad;
  }
  return strides;
}

/// True if all slices along the axis hold the same values.
template <class Value>
bool slices_agree(const Extents& extents, const std::vector<Value>& values, std::size_t axis) {
  if (extents[axis] < 2 || values.empty()) return false;
  std::size_t inner = 1;
  for (std::size_t n = axis + 1; n < 4; ++n) inner *= static_cast<std::size_t>(extents[n]);
  const std::size_t whole = inner * static_cast<std::size_t>(extents[axis]);
  for (std::size_t at = 0; at < values.size(); ++at) {
    if (at % whole >= inner && values[at] != values[at - inner]) return false;
  }
  return true;
}

constexpr std::array<std::size_t, 4> plain{0, 1, 2, 3};
constexpr std::array<std::size_t, 4> rows_first{0, 2, 1, 3};  // [B, L, H, d] in memory
constexpr std::array<std::size_t, 4> transposed{0, 1, 3, 2};
constexpr std::array<std::size_t, 4> batch_last{3, 2, 1, 0};

/// A layout of the kind that is wished for (a value of Feature::layout_q), or of any.
Layout draw_layout(Choices& c, const Extents& extents, std::int8_t wish) {
  constexpr std::array<std::uint64_t, 5> kinds{0, 1, 3, 4, 0};
  Layout layout;
  std::uint64_t kind = c.below(8);
  if (wish >= 0) kind = kinds[static_cast<std::size_t>(wish)];
  if (wish == 1 && c.chance(1, 2)) kind = 7;
  if (wish == 2) kind = std::array<std::uint64_t, 3>{2, 3, 5}[c.below(3)];
  switch (kind) {
    case 0:
      break;
    case 1:
      layout.strides = dense(extents, plain, c.between(1, 9), 1);
      break;
    case 2:
      layout.strides = dense(extents, rows_first, 0, 1);
      break;
    case 3:
      layout.strides = dense(extents, transposed, c.between(0, 3), 1);
      break;
    case 4:
      layout.strides = dense(extents, plain, 0, 2);
      break;
    case 5:
      layout.strides = dense(extents, batch_last, 0, 1);
      break;
    case 6:
      layout.strides = dense(extents, rows_first, c.between(1, 8), 1);
      break;
    default: {  // a slice of a tensor with more rows or heads: a cache that is not full
      const std::int64_t more = c.between(1, 17);
      layout.strides = dense(extents, plain, more, 1, c.chance(2, 3) ? 2 : 1);
      break;
    }
  }
  return layout;
}

std::int64_t draw_shift(Choices& c, const FeatureValues& w) {
  const bool shifted = c.chance(1, 3);
  const std::int64_t shift = c.between(1, 15);
  if (w[Feature::base] == 0) return 0;
  if (w.is(Feature::base, 1)) return shift < 15 ? shift + shift % 2 : 14;
  if (w.is(Feature::base, 2)) return shift | 1;
  return shifted ? shift : 0;
}

template <class Value>
Layout draw_input_layout(Choices& c, const FeatureValues& w, std::int8_t wish,
                         const Extents& extents, const std::vector<Value>& values) {
  Layout layout = draw_layout(c, extents, wish);
  layout.shift = draw_shift(c, w);
  constexpr std::int8_t stride_0 = 4;
  const bool repeats = wish < 0 || wish == stride_0;
  for (std::size_t axis = 0; repeats && axis < 3; ++axis) {
    if (!slices_agree(extents, values, axis)) continue;
    layout.strides = strides_of(layout, extents);
    (*layout.strides)[axis] = 0;
    if (wish < 0 && axis > 0) break;
  }
  return layout;
}

/// Of a tensor that may be absent, the wish has another scale: none, plain, own.
std::int8_t own_wish(Choices& c, std::int8_t wish) {
  const auto kind = static_cast<std::int8_t>(1 + c.below(3));
  return wish == 1 ? std::int8_t{0} : wish == 2 ? kind : FeatureValues::none;
}

/// Is there a layout for this tensor, by the wish for it or else by chance?
bool chosen(Choices& c, std::int8_t wish, std::uint64_t numerator, std::uint64_t denominator) {
  const bool drawn = c.chance(numerator, denominator);
  return wish < 0 ? drawn : true;
}

std::optional<bool> wish_for_any(const FeatureValues& w) {
  std::optional<bool> wish;
  for (const Feature feature : {Feature::layout_q, Feature::layout_k, Feature::layout_v,
                                Feature::layout_o, Feature::base}) {
    if (w.wants(feature)) return true;
  }
  for (const Feature feature : {Feature::layout_lse, Feature::layout_mask, Feature::layout_bias}) {
    if (w.is(feature, 2)) return true;
  }
  return wish;
}

}  // namespace

void draw_layouts(Choices& c, const Domain& domain, const FeatureValues& w, Problem& p) {
  if (!wants(c, domain.strided, 25, wish_for_any(w))) return;
  const Shape& s = p.shape;
  const std::int8_t q = w[Feature::layout_q], k = w[Feature::layout_k], v = w[Feature::layout_v];
  const std::int8_t o = w[Feature::layout_o];
  Layouts& all = p.layouts;
  if (chosen(c, q, 2, 3)) all.q = draw_input_layout(c, w, q, p.q.extents, p.q.bits);
  if (chosen(c, k, 2, 3)) all.k = draw_input_layout(c, w, k, p.k.extents, p.k.bits);
  if (chosen(c, v, 2, 3)) all.v = draw_input_layout(c, w, v, p.v.extents, p.v.bits);
  if (chosen(c, o, 1, 2)) {
    all.o = draw_layout(c, {s.B, s.H_q, s.L, s.d_v}, o);
    all.o.shift = draw_shift(c, w);
  }
  const std::int8_t lse = own_wish(c, w[Feature::layout_lse]);
  if (p.want_lse && chosen(c, lse, 1, 2)) {
    all.lse = draw_layout(c, {s.B, s.H_q, s.L, 1}, lse == 3 ? std::int8_t{1} : lse);
    all.lse.shift = draw_shift(c, w);
  }
  const std::int8_t mask = own_wish(c, w[Feature::layout_mask]);
  if (p.mask.attend && chosen(c, mask, 1, 2)) {
    all.attend = draw_input_layout(c, w, mask, p.mask.attend->extents, p.mask.attend->attend);
  }
  const std::int8_t bias = own_wish(c, w[Feature::layout_bias]);
  if (p.mask.bias && chosen(c, bias, 1, 2)) {
    all.bias = draw_input_layout(c, w, bias, p.mask.bias->extents, p.mask.bias->bits);
  }
  if (w.wants(Feature::base) && all.q.shift == 0) all.q.shift = w.is(Feature::base, 1) ? 2 : 1;
  if (domain.strided == Allow::must && all == Layouts{}) all.q.shift = 1;
}

}  // namespace qkvet::detail
