// The bits of v by stratum, and of the strata that design q, k and v together.
#include <cmath>
#include <qkvet/problem/draw_fill.hpp>

namespace qkvet::detail {
namespace {

void plain_values(Choices& c, Problem& p) {
  const std::uint64_t style = c.below(4);
  fill(p.v, [&](std::int64_t, std::int64_t, std::int64_t d) {
    if (style == 1) return static_cast<double>(c.between(-8, 8));
    const double mean = style == 0 ? 0.0 : 1.0 + static_cast<double>(d % 5) * 0.5;
    return mean + c.gaussian();
  });
}

void integer_grid(Choices& c, Problem& p) {
  const double step = c.chance(1, 2) ? 1.0 : 0.25;
  const auto draw_one = [&](std::int64_t, std::int64_t, std::int64_t) {
    return step * static_cast<double>(c.between(-4, 4));
  };
  fill(p.q, draw_one);
  fill(p.k, draw_one);
  fill(p.v, draw_one);
}

void cancelling_values(Choices& c, Problem& p) {
  gaussian_scores(c, p, 0x1p-6);
  const int most = p.format == Format::binary16 ? 14 : 20;
  const int exponent = static_cast<int>(c.between(8, most));
  const double size = std::ldexp(1.0, exponent);
  // The noise is what is left of the sum; a few units in the last place of a low format show it.
  const int unit = exponent + 1 - info(p.format).precision;
  const double noise = is_low(p.format) ? std::ldexp(1.0, std::max(unit + 2, 0)) : 1.0;
  fill(p.v, [&](std::int64_t, std::int64_t j, std::int64_t) {
    return (j % 2 == 0 ? size : -size) + noise * c.gaussian();
  });
}

void subnormal_inputs(Choices& c, Problem& p) {
  const FormatInfo& format = info(p.format);
  const std::uint64_t which = c.below(3);
  plain_scores(c, p);
  plain_values(c, p);
  // All subnormal numbers of a low format: they are few.
  const std::int64_t most =
      is_low(p.format) ? (std::int64_t{1} << (format.precision - 1)) - 1 : 64;
  const auto tiny = [&](std::int64_t, std::int64_t, std::int64_t) {
    const double units = static_cast<double>(c.between(-most, most));
    return units * format.eta * (c.chance(1, 4) ? std::ldexp(1.0, format.precision) : 1.0);
  };
  if (which != 1) fill(p.v, tiny);
  if (which != 0) fill(p.k, tiny);
}

void huge_inputs(Choices& c, Problem& p) {
  const FormatInfo& format = info(p.format);
  plain_scores(c, p);
  plain_values(c, p);
  if (c.chance(3, 4)) {
    const double size = std::ldexp(format.max, -static_cast<int>(c.below(10)));
    fill(p.v, [&](std::int64_t, std::int64_t, std::int64_t) {
      return (c.chance(1, 2) ? size : -size) * (1.0 - c.unit() / 4);
    });
    return;
  }
  // In f16 scores of 2^14 to 2^16 reach its largest number themselves: a kernel that stores them in
  // f16 overflows, one that keeps them in f32 does not.
  const int beside = p.format == Format::binary16 ? static_cast<int>(c.below(2)) : -8;
  const double size = std::ldexp(1.0, format.e_max / 2 + beside);
  fill_gaussian(c, p.q, size);
  fill_gaussian(c, p.k, size);
}

/// An index that a low format holds exactly, halves included: it starts again after an odd number
/// of keys, so that no two tiles look alike.
double low_index(Format format, std::int64_t j, std::int64_t d) {
  const std::int64_t period = (std::int64_t{1} << (info(format).precision - 2)) - 3;
  return static_cast<double>(j % period) + static_cast<double>(d % 6) * 0.5;
}

/// v of a stratum that designs it; false if it does not.
bool draw_designed_v(Choices& c, Values stratum, Problem& p) {
  const auto one = [](std::int64_t, std::int64_t, std::int64_t) { return 1.0; };
  switch (stratum) {
    case Values::v_ones:
      fill(p.v, one);
      return true;
    case Values::v_key_index:
      fill(p.v, [&](std::int64_t head, std::int64_t j, std::int64_t d) {
        if (is_low(p.format)) return low_index(p.format, j + head, d);
        return static_cast<double>(j + head) + static_cast<double>(d) * 0.5;
      });
      return true;
    case Values::v_identity:
      fill(p.v, [](std::int64_t, std::int64_t j, std::int64_t d) { return j == d ? 1.0 : 0.0; });
      return true;
    case Values::channel_means:
      fill(p.v, [&](std::int64_t head, std::int64_t, std::int64_t d) {
        const std::int64_t place = is_low(p.format) ? (d + head) % 29 : d + head;
        const double mean = 2.0 + static_cast<double>(place);
        return (d % 2 == 0 ? mean : -mean) + c.gaussian();
      });
      return true;
    default:
      return false;
  }
}

/// All batch entries alike, or all heads of each: then stride 0 is possible.
void share(Tensor& tensor, bool heads) {
  const std::size_t axis = heads ? 1 : 0;
  const auto count = static_cast<std::size_t>(tensor.extents[axis]);
  if (count < 2 || tensor.bits.empty()) return;
  const std::size_t whole =
      tensor.bits.size() / (heads ? static_cast<std::size_t>(tensor.extents[0]) : 1);
  const std::size_t size = whole / count;
  for (std::size_t at = 0; at < tensor.bits.size(); ++at) {
    if (at % whole >= size) tensor.bits[at] = tensor.bits[at - size];
  }
}

}  // namespace

void draw_values(Choices& c, Values stratum, Problem& p) {
  switch (stratum) {
    case Values::grid:
      integer_grid(c, p);
      break;
    case Values::cancelling_v:
      cancelling_values(c, p);
      break;
    case Values::subnormal:
      subnormal_inputs(c, p);
      break;
    case Values::format_limit:
      huge_inputs(c, p);
      break;
    default:
      if (!draw_scores(c, stratum, p)) plain_scores(c, p);
      if (!draw_designed_v(c, stratum, p)) plain_values(c, p);
  }
  if (c.chance(1, 25)) {
    const std::uint64_t which = c.below(3);
    share(which == 0 ? p.k : which == 1 ? p.v : p.q, c.chance(1, 2));
  }
}

void share_where_wished(Choices& c, const FeatureValues& w, Problem& p) {
  const std::pair<Feature, Tensor*> inputs[] = {
      {Feature::layout_q, &p.q}, {Feature::layout_k, &p.k}, {Feature::layout_v, &p.v}};
  for (const auto& [feature, tensor] : inputs) {
    if (!w.is(feature, 4)) continue;
    const bool heads = c.chance(1, 2) ? tensor->extents[1] > 1 : tensor->extents[0] < 2;
    share(*tensor, heads);
  }
}

}  // namespace qkvet::detail
