#include "problems.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <qkvet/problem/draw.hpp>

namespace detection {

using namespace qkvet;

namespace {

constexpr std::array<std::string_view, 12> classes{
    "gauss",     "spread",  "near-equal", "cancelling-v", "tiny-huge", "subnormal",
    "outliers",  "rising",  "duplicates", "one-hot",      "constant-v", "offset"};

template <class Value>
void fill(Tensor& tensor, const Value& value) {
  for (std::int64_t a = 0; a < tensor.extents[0]; ++a)
    for (std::int64_t b = 0; b < tensor.extents[1]; ++b)
      for (std::int64_t c = 0; c < tensor.extents[2]; ++c)
        for (std::int64_t d = 0; d < tensor.extents[3]; ++d) tensor.set(a, b, c, d, value(c, d));
}

Shape draw_shape(Choices& c, std::int64_t most_keys) {
  constexpr std::int64_t widths[] = {1, 2, 3, 5, 8, 16, 32, 40, 64, 128};
  Shape s;
  s.H_q = s.H_kv = c.between(1, 2);
  s.L = c.between(1, 3);
  const std::uint64_t length = c.below(100);
  s.S = length < 45 ? c.between(1, 80) : length < 80 ? c.between(81, 300) : c.between(301, 1024);
  s.S = std::min(s.S, most_keys);
  s.d_k = widths[c.below(10)];
  s.d_v = c.between(1, 24);
  return s;
}

void draw_numbers(Choices& c, Problem& p, std::uint64_t kind) {
  const FormatInfo& f = info(p.format);
  const auto normal = [&](std::int64_t, std::int64_t) { return c.gaussian(); };
  fill(p.q, normal);
  fill(p.k, normal);
  fill(p.v, normal);
  switch (kind) {
    case 1: {  // spread
      const double size = 1 + 29 * c.unit();
      fill(p.q, [&](std::int64_t, std::int64_t) { return size * c.gaussian(); });
      return;
    }
    case 2:
      fill(p.q, [&](std::int64_t, std::int64_t) { return 0x1p-8 * c.gaussian(); });
      return;
    case 3: {
      const double size = p.format == Format::binary16 ? std::exp(8.0) : std::exp(12.0);
      fill(p.v, [&](std::int64_t, std::int64_t) { return (c.chance(1, 2) ? size : -size) + c.gaussian(); });
      return;
    }
    case 4: {  // tiny or huge V, q and k of opposite sizes
      const double big = p.format == Format::binary16 ? 0x1p6 : 0x1p60;
      const double v = p.format == Format::binary16 ? 0x1p10 : 0x1p100;
      const double sign = c.chance(1, 2) ? 1 : -1;
      fill(p.q, [&](std::int64_t, std::int64_t) { return big * c.gaussian(); });
      fill(p.k, [&](std::int64_t, std::int64_t) { return c.gaussian() / big; });
      fill(p.v, [&](std::int64_t, std::int64_t) { return (sign > 0 ? v : 1 / v) * c.gaussian(); });
      return;
    }
    case 5:
      fill(p.v, [&](std::int64_t, std::int64_t) { return f.eta * static_cast<double>(c.between(-60, 60)); });
      return;
    case 6: {
      const std::int64_t channel = c.between(0, p.shape.d_k - 1), key = c.between(0, p.shape.S - 1);
      fill(p.k, [&](std::int64_t j, std::int64_t d) {
        return c.gaussian() * (j == key ? 4 : 1) + (d == channel ? 20 : 0);
      });
      return;
    }
    case 7: {
      const double step = 8 * c.unit() / 64;
      fill(p.q, [&](std::int64_t, std::int64_t d) { return d == 0 ? 1.0 : 0.25 * c.gaussian(); });
      const double unit = std::sqrt(static_cast<double>(p.shape.d_k));
      fill(p.k, [&](std::int64_t j, std::int64_t d) {
        return d == 0 ? unit * step * static_cast<double>(j) : c.gaussian();
      });
      return;
    }
    case 8:
      for (std::int64_t h = 0; h < p.shape.H_kv; ++h)
        for (std::int64_t j = 1; j < p.shape.S; ++j)
          for (std::int64_t d = 0; d < p.shape.d_k && j % 4 != 0; ++d) {
            p.k.bits[p.k.index(0, h, j, d)] = p.k.bits[p.k.index(0, h, j - j % 4, d)];
          }
      return;
    case 9:
      fill(p.v, [](std::int64_t j, std::int64_t d) { return j % 24 == d ? 1.0 : 0.0; });
      return;
    case 10:
      fill(p.v, [](std::int64_t, std::int64_t d) { return 1.0 + static_cast<double>(d) / 8; });
      return;
    case 11: {
      const double offset = 10 + 40 * c.unit();
      fill(p.q, [&](std::int64_t, std::int64_t d) { return d == 0 ? offset : c.gaussian(); });
      fill(p.k, [&](std::int64_t, std::int64_t d) { return d == 0 ? 8.0 : c.gaussian(); });
      return;
    }
    default:
      return;
  }
}

void draw_features(Choices& c, Problem& p) {
  const Shape& s = p.shape;
  switch (c.below(4)) {
    case 1:
      p.mask.causal = true;
      p.mask.diagonal.kind = Diagonal::Kind::bottom_right;
      if (s.L > s.S) p.mask.causal = false;
      break;
    case 2:
      p.mask.window = Window{c.between(0, s.S), std::nullopt};
      p.mask.diagonal.kind = Diagonal::Kind::bottom_right;
      if (s.L > s.S) p.mask.window.reset();
      break;
    case 3: {
      BoolMask mask{{1, 1, s.L, s.S}, {}};
      for (std::int64_t n = 0; n < s.L * s.S; ++n) {
        mask.attend.push_back(n % s.S == 0 || c.chance(3, 4) ? 1 : 0);
      }
      if (c.chance(1, 4)) {  // the last row sees nothing
        std::fill(mask.attend.end() - static_cast<std::ptrdiff_t>(s.S), mask.attend.end(), 0);
      }
      p.mask.attend = std::move(mask);
      break;
    }
    default:
      break;
  }
  if (c.chance(1, 4)) {
    p.mask.bias = make_tensor(p.format, {1, 1, s.L, s.S});
    fill(*p.mask.bias, [&](std::int64_t, std::int64_t) { return c.gaussian(); });
  }
  if (c.chance(3, 20)) p.softcap = c.chance(1, 2) ? 8 : 30;
  if (c.chance(3, 25)) {
    p.sinks = make_tensor(p.format, {s.H_q, 1, 1, 1});
    for (std::int64_t h = 0; h < s.H_q; ++h) p.sinks->set(h, 0, 0, 0, c.gaussian());
  }
}

}  // namespace

Case draw_case(Format format, std::uint64_t seed, std::int64_t n, std::int64_t most_keys) {
  Choices c = Choices::from_seed(mix(mix(seed) + static_cast<std::uint64_t>(n)));
  Case out;
  Problem& p = out.problem;
  p.shape = draw_shape(c, most_keys);
  p.format = format;
  p.want_lse = true;
  p.q = make_tensor(format, {1, p.shape.H_q, p.shape.L, p.shape.d_k});
  p.k = make_tensor(format, {1, p.shape.H_kv, p.shape.S, p.shape.d_k});
  p.v = make_tensor(format, {1, p.shape.H_kv, p.shape.S, p.shape.d_v});
  const std::uint64_t kind = c.below(classes.size());
  out.input = classes[kind];
  // As in check/suspicion: not where errors are alike, or where V is designed.
  constexpr std::array<std::uint64_t, 7> random{0, 1, 2, 4, 6, 7, 11};
  out.random_values = std::find(random.begin(), random.end(), kind) != random.end();
  draw_numbers(c, p, kind);
  draw_features(c, p);
  return out;
}

Problem with_probe(const Problem& problem, std::uint64_t seed) {
  Problem out = problem;
  Choices c = Choices::from_seed(mix(seed));
  const std::int64_t S = problem.shape.S;
  fill(out.v, [&](std::int64_t j, std::int64_t d) {
    const std::int64_t keys[] = {S - 1, S / 2, 0};
    if (d == 0) return 1.0;
    if (d <= 3) return j == keys[d - 1] ? 1.0 : 0.0;
    return c.chance(1, 2) ? 1.0 : -1.0;
  });
  return out;
}

}  // namespace detection
