// The bits of q, k and v, by stratum. Designed scores ride on channel 0: q there is a constant, k
// there the wanted score divided by it; the other channels add noise of order one.
#include <algorithm>
#include <cmath>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {
namespace {

/// Stores x rounded once; what would overflow becomes the largest number.
void put(Tensor& tensor, std::size_t at, double x) {
  const double most = info(tensor.format).max;
  tensor.bits[at] = encode(tensor.format, std::max(-most, std::min(x, most)));
}

template <class Value>
void fill(Tensor& tensor, const Value& value) {
  std::size_t at = 0;
  for (std::int64_t a = 0; a < tensor.extents[0]; ++a)
    for (std::int64_t b = 0; b < tensor.extents[1]; ++b)
      for (std::int64_t i = 0; i < tensor.extents[2]; ++i)
        for (std::int64_t d = 0; d < tensor.extents[3]; ++d)
          put(tensor, at++, value(a * tensor.extents[1] + b, i, d));
}

void fill_gaussian(Choices& c, Tensor& tensor, double size) {
  fill(tensor, [&](std::int64_t, std::int64_t, std::int64_t) { return size * c.gaussian(); });
}

/// A power of two that brings the standard deviation of the scores near `wanted`.
double score_factor(const Problem& p, double wanted) {
  const double now = std::fabs(scale_value(p)) * std::sqrt(static_cast<double>(p.shape.d_k));
  double factor = 1.0;
  if (!(now > 0)) return factor;
  for (int n = 0; n < 40 && now * factor < wanted / 1.5; ++n) factor *= 2;
  for (int n = 0; n < 40 && now * factor > wanted * 1.5; ++n) factor /= 2;
  return factor;
}

void gaussian_scores(Choices& c, Problem& p, double wanted) {
  fill_gaussian(c, p.q, score_factor(p, wanted));
  fill_gaussian(c, p.k, 1.0);
}

/// Ordinary q and k: scores of order one, unless an explicit scale makes them larger (up to 8).
void plain_scores(Choices& c, Problem& p) {
  if (p.shape.d_k == 0) return;
  const double now = std::fabs(scale_value(p)) * std::sqrt(static_cast<double>(p.shape.d_k));
  gaussian_scores(c, p, now > 8 ? 8.0 : now < 0.25 ? 0.25 : now);
}

/// `score(head, j)` for every key, through channel 0.
template <class Score>
void designed_scores(Choices& c, Problem& p, double noise, const Score& score) {
  const double scale = scale_value(p);
  if (p.shape.d_k == 0 || !(std::fabs(scale) > 0)) {
    plain_scores(c, p);
    return;
  }
  constexpr double carriers[] = {1.0, 2.0, -1.0, 0.5};
  const double carrier = carriers[c.below(4)];
  const double size = noise * std::min(1.0, score_factor(p, 1.0));
  fill(p.q, [&](std::int64_t, std::int64_t, std::int64_t d) {
    return d == 0 ? carrier : size * c.gaussian();
  });
  fill(p.k, [&](std::int64_t head, std::int64_t j, std::int64_t d) {
    return d == 0 ? score(head, j) / (scale * carrier) : c.gaussian();
  });
}

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

void rising_scores(Choices& c, Problem& p) {
  constexpr std::int64_t tiles[] = {1, 8, 16, 32, 64};
  constexpr double steps[] = {2, 10, 30, 0.5};
  const std::int64_t tile = p.shape.S < 16 ? 1 : tiles[c.below(5)];
  const double step = steps[c.below(4)];
  const bool falls = c.chance(1, 5);
  designed_scores(c, p, 0.5, [&](std::int64_t, std::int64_t j) {
    return static_cast<double>(falls ? -(j / tile) : j / tile) * step;
  });
}

void needle_scores(Choices& c, Problem& p) {
  constexpr double gaps[] = {10, 30, 100, 300};
  constexpr std::int64_t tiles[] = {16, 32, 64, 128};
  const double gap = gaps[c.below(4)];
  const std::int64_t S = p.shape.S, last = std::max<std::int64_t>(S - 1, 0);
  std::vector<std::int64_t> places;
  for (std::int64_t head = 0; head < p.shape.B * p.shape.H_kv; ++head) {
    const std::int64_t tile = tiles[c.below(4)];
    const std::uint64_t kind = c.below(5);
    const std::int64_t place = kind == 0   ? 0
                               : kind == 1 ? last
                               : kind == 2 ? tile
                               : kind == 3 ? tile - 1
                                           : c.between(0, last);
    places.push_back(std::min(place, last));
  }
  designed_scores(c, p, 1.0, [&](std::int64_t head, std::int64_t j) {
    return j == places[static_cast<std::size_t>(head)] ? gap : 0.0;
  });
}

void flat_tail_scores(Choices& c, Problem& p) {
  const auto peak = static_cast<double>(c.between(4, 12));
  designed_scores(c, p, 0.0, [&](std::int64_t head, std::int64_t j) {
    return j == head % std::max<std::int64_t>(p.shape.S, 1) ? peak : 0.0;
  });
}

void low_scores(Choices& c, Problem& p, bool then_high) {
  constexpr double lows[] = {-200, -1.1e4, -5.1e4, -6e4};
  const double low = lows[c.below(4)];
  const std::int64_t S = p.shape.S;
  const std::int64_t cut =
      then_high ? c.between(std::min<std::int64_t>(1, S), std::max<std::int64_t>(S - 1, 0)) : S;
  designed_scores(c, p, 1.0, [&](std::int64_t, std::int64_t j) { return j < cut ? low : 0.0; });
}

void equal_scores(Choices& c, Problem& p) {
  if (c.chance(1, 2)) {
    fill_gaussian(c, p.k, 1.0);
    return;  // q stays 0
  }
  plain_scores(c, p);
  const std::size_t row = static_cast<std::size_t>(p.shape.d_k);
  for (std::size_t at = 0; at < p.k.bits.size(); ++at) {
    const std::size_t head =
        at / std::max<std::size_t>(row * static_cast<std::size_t>(p.shape.S), 1);
    p.k.bits[at] = p.k.bits[head * row * static_cast<std::size_t>(p.shape.S) + at % row];
  }
}

void key_outliers(Choices& c, Problem& p) {
  plain_scores(c, p);
  constexpr double sizes[] = {8, 20, 64};
  const double offset = sizes[c.below(3)];
  const std::int64_t channel = c.between(0, std::max<std::int64_t>(p.shape.d_k - 1, 0));
  fill(p.k, [&](std::int64_t, std::int64_t, std::int64_t d) {
    return c.gaussian() + (d == channel ? offset : 0.0);
  });
}

void cancelling_values(Choices& c, Problem& p) {
  gaussian_scores(c, p, 0x1p-6);
  const double size = std::ldexp(1.0, static_cast<int>(c.between(8, 20)));
  fill(p.v, [&](std::int64_t, std::int64_t j, std::int64_t) {
    return (j % 2 == 0 ? size : -size) + c.gaussian();
  });
}

void subnormal_inputs(Choices& c, Problem& p) {
  const FormatInfo& format = info(p.format);
  const std::uint64_t which = c.below(3);
  plain_scores(c, p);
  plain_values(c, p);
  const auto tiny = [&](std::int64_t, std::int64_t, std::int64_t) {
    const double units = static_cast<double>(c.between(-64, 64));
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
  const double size = std::ldexp(1.0, format.e_max / 2 - 8);
  fill_gaussian(c, p.q, size);
  fill_gaussian(c, p.k, size);
}

/// q and k of a stratum that designs scores; false if it does not.
bool draw_scores(Choices& c, Values stratum, Problem& p) {
  switch (stratum) {
    case Values::scores_90:
      gaussian_scores(c, p, 35);
      return true;
    case Values::scores_1e4:
      gaussian_scores(c, p, 3000);
      return true;
    case Values::rising_tiles:
      rising_scores(c, p);
      return true;
    case Values::needle:
      needle_scores(c, p);
      return true;
    case Values::flat_tail:
      flat_tail_scores(c, p);
      return true;
    case Values::near_uniform:
      gaussian_scores(c, p, 0x1p-8);
      return true;
    case Values::equal_scores:
      equal_scores(c, p);
      return true;
    case Values::key_outliers:
      key_outliers(c, p);
      return true;
    case Values::low_scores:
      low_scores(c, p, false);
      return true;
    case Values::low_then_high:
      low_scores(c, p, true);
      return true;
    default:
      return false;
  }
}

/// v of a stratum that designs it; false if it does not.
bool draw_designed_v(Choices& c, Values stratum, Problem& p) {
  const auto one = [](std::int64_t, std::int64_t, std::int64_t) { return 1.0; };
  switch (stratum) {
    case Values::v_ones:
      fill(p.v, one);
      return true;
    case Values::v_key_index:
      fill(p.v, [](std::int64_t head, std::int64_t j, std::int64_t d) {
        return static_cast<double>(j + head) + static_cast<double>(d) * 0.5;
      });
      return true;
    case Values::v_identity:
      fill(p.v, [](std::int64_t, std::int64_t j, std::int64_t d) { return j == d ? 1.0 : 0.0; });
      return true;
    case Values::channel_means:
      fill(p.v, [&](std::int64_t head, std::int64_t, std::int64_t d) {
        const double mean = 2.0 + static_cast<double>(d + head);
        return (d % 2 == 0 ? mean : -mean) + c.gaussian();
      });
      return true;
    default:
      return false;
  }
}

/// All batch entries alike: then stride 0 is possible.
void share_batch(Tensor& tensor) {
  if (tensor.extents[0] < 2) return;
  const std::size_t size = tensor.bits.size() / static_cast<std::size_t>(tensor.extents[0]);
  for (std::size_t at = size; at < tensor.bits.size(); ++at) {
    tensor.bits[at] = tensor.bits[at - size];
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
  if (c.chance(1, 25)) share_batch(c.chance(1, 2) ? p.k : p.v);
}

}  // namespace qkvet::detail
