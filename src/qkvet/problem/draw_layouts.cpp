// Memory layouts: padded rows, other axis orders, an inner stride of 2, misalignment, and stride 0
// where values agree. Each tensor has its own.
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {
namespace {

using Extents = std::array<std::int64_t, 4>;

/// Strides of a dense tensor whose axes lie in memory in the given order, outermost first; rows of
/// the innermost axis are `pad` longer, its elements `step` apart.
Extents dense(const Extents& extents, const std::array<std::size_t, 4>& order, std::int64_t pad,
              std::int64_t step) {
  Extents strides{};
  std::int64_t stride = step;
  for (std::size_t n = 4; n-- > 0;) {
    strides[order[n]] = stride;
    stride *= std::max<std::int64_t>(extents[order[n]], 1);
    if (n == 3) stride += pad;
  }
  return strides;
}

/// True if all slices along the first axis hold the same values.
template <class Value>
bool entries_agree(const Extents& extents, const std::vector<Value>& values) {
  if (extents[0] < 2) return false;
  const std::size_t size = values.size() / static_cast<std::size_t>(extents[0]);
  for (std::size_t n = size; n < values.size(); ++n) {
    if (values[n] != values[n - size]) return false;
  }
  return true;
}

Layout draw_layout(Choices& c, const Extents& extents) {
  constexpr std::array<std::size_t, 4> plain{0, 1, 2, 3};
  constexpr std::array<std::size_t, 4> rows_first{0, 2, 1, 3};  // [B, L, H, d] in memory
  constexpr std::array<std::size_t, 4> transposed{0, 1, 3, 2};
  constexpr std::array<std::size_t, 4> batch_last{3, 2, 1, 0};
  Layout layout;
  switch (c.below(7)) {
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
    default:
      layout.strides = dense(extents, rows_first, c.between(1, 8), 1);
      break;
  }
  if (c.chance(1, 3)) layout.shift = c.between(1, 15);
  return layout;
}

template <class Value>
Layout draw_input_layout(Choices& c, const Extents& extents, const std::vector<Value>& values) {
  Layout layout = draw_layout(c, extents);
  if (!entries_agree(extents, values)) return layout;
  layout.strides = strides_of(layout, extents);
  (*layout.strides)[0] = 0;
  return layout;
}

}  // namespace

void draw_layouts(Choices& c, const Domain& domain, Problem& p) {
  if (!wants(c, domain.strided, 25)) return;
  const Shape& s = p.shape;
  const bool forced = domain.strided == Allow::must;
  if (c.chance(2, 3)) p.layouts.q = draw_input_layout(c, p.q.extents, p.q.bits);
  if (c.chance(2, 3)) p.layouts.k = draw_input_layout(c, p.k.extents, p.k.bits);
  if (c.chance(2, 3)) p.layouts.v = draw_input_layout(c, p.v.extents, p.v.bits);
  if (c.chance(1, 2)) p.layouts.o = draw_layout(c, {s.B, s.H_q, s.L, s.d_v});
  if (p.want_lse && c.chance(1, 2)) p.layouts.lse = draw_layout(c, {s.B, s.H_q, s.L, 1});
  if (p.mask.attend && c.chance(1, 2)) {
    p.layouts.attend = draw_input_layout(c, p.mask.attend->extents, p.mask.attend->attend);
  }
  if (p.mask.bias && c.chance(1, 2)) {
    p.layouts.bias = draw_input_layout(c, p.mask.bias->extents, p.mask.bias->bits);
  }
  if (forced && p.layouts == Layouts{}) p.layouts.q.shift = 1;
}

}  // namespace qkvet::detail
