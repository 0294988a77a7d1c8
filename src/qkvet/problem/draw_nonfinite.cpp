// NaN, infinity and huge garbage: in keys that no row sees, or where rows do look.
#include <limits>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {
namespace {

std::uint64_t draw_nan(Choices& c, Format format) {
  const std::uint64_t quiet = encode(format, std::numeric_limits<double>::quiet_NaN());
  const std::uint64_t sign = std::uint64_t{1} << (8 * info(format).bytes - 1);
  const std::uint64_t payload = c.below(8);
  return (c.chance(1, 4) ? quiet | sign : quiet) | payload;
}

std::uint64_t draw_special(Choices& c, Format format) {
  const std::uint64_t kind = c.below(4);
  if (kind < 2) return draw_nan(c, format);
  const double infinity = std::numeric_limits<double>::infinity();
  return encode(format, kind == 2 ? infinity : -infinity);
}

/// True if some row of the key/value head sees key j.
bool seen(const Problem& p, std::int64_t b, std::int64_t kv, std::int64_t j) {
  const std::int64_t group = p.shape.H_q / p.shape.H_kv;
  for (std::int64_t h = kv * group; h < (kv + 1) * group; ++h)
    for (std::int64_t i = 0; i < p.shape.L; ++i)
      if (visible(p, b, h, i, j)) return true;
  return false;
}

void spoil_row(Choices& c, Tensor& tensor, std::int64_t b, std::int64_t kv, std::int64_t j,
               std::uint64_t bits) {
  const std::int64_t width = tensor.extents[3];
  if (width == 0) return;
  const bool all = c.chance(1, 2);
  const std::int64_t place = c.between(0, width - 1);
  for (std::int64_t d = 0; d < width; ++d) {
    if (all || d == place) tensor.bits[tensor.index(b, kv, j, d)] = bits;
  }
}

/// Spoils hidden keys; false if every key is seen.
bool spoil_hidden(Choices& c, const Domain& domain, Problem& p) {
  const Shape& s = p.shape;
  bool any = false;
  const bool finite =
      domain.nonfinite == Allow::never || (domain.nonfinite == Allow::may && c.chance(1, 3));
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t kv = 0; kv < s.H_kv; ++kv)
      for (std::int64_t j = 0; j < s.S; ++j) {
        if (seen(p, b, kv, j) || c.chance(1, 4)) continue;
        const std::uint64_t bits =
            finite ? encode(p.format, c.chance(1, 2) ? -1e3 : 3e4) : draw_special(c, p.format);
        const std::uint64_t where = c.below(3);
        if (where != 1) spoil_row(c, p.v, b, kv, j, bits);
        if (where != 0) spoil_row(c, p.k, b, kv, j, bits);
        any = true;
      }
  return any;
}

void spoil_one(Choices& c, Tensor& tensor) {
  if (tensor.bits.empty()) return;
  tensor.bits[c.below(tensor.bits.size())] = draw_special(c, tensor.format);
}

/// A key range that hides some keys at the end, so that there is a place for garbage.
void hide_some(Choices& c, const Domain& domain, Problem& p) {
  if (p.mask.key_range || p.shape.S < 2 || domain.key_range == Allow::never) return;
  KeyRange range;
  for (std::int64_t b = 0; b < p.shape.B; ++b) {
    range.start.push_back(0);
    range.end.push_back(c.between(1, p.shape.S - 1));
  }
  p.mask.key_range = range;
}

}  // namespace

void draw_nonfinite(Choices& c, const Domain& domain, Values stratum, Problem& p) {
  if (stratum == Values::visible_nonfinite) {
    const std::int64_t count = c.between(1, 3);
    for (std::int64_t n = 0; n < count; ++n) {
      const std::uint64_t which = c.below(4);
      spoil_one(c, which == 0 ? p.q : which == 1 ? p.k : p.v);
    }
  } else if (stratum == Values::hidden_garbage) {
    if (!uses_diagonal(p) && domain.empty_rows != Allow::must) hide_some(c, domain, p);
    if (!spoil_hidden(c, domain, p) && domain.nonfinite == Allow::must) spoil_one(c, p.v);
  }
}

}  // namespace qkvet::detail
