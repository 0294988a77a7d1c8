// The bits of q and k, by stratum. Designed scores ride on channel 0: q there is a constant, k there
// the wanted score divided by it; the other channels add noise of order one.
#include <cmath>
#include <qkvet/problem/draw_fill.hpp>

namespace qkvet::detail {
namespace {

/// A power of two that brings the standard deviation of the scores near `wanted`.
double score_factor(const Problem& p, double wanted) {
  const double now = std::fabs(scale_value(p)) * std::sqrt(static_cast<double>(p.shape.d_k));
  double factor = 1.0;
  if (!(now > 0)) return factor;
  for (int n = 0; n < 40 && now * factor < wanted / 1.5; ++n) factor *= 2;
  for (int n = 0; n < 40 && now * factor > wanted * 1.5; ++n) factor /= 2;
  return factor;
}

/// The part of a power of two that k takes, so that q keeps inside the range of f16: none between
/// 2^-8 and 2^8, else half of the exponent.
double share_of_k(Format format, double factor) {
  const int exponent = std::ilogb(factor);
  const bool fits = format != Format::binary16 || std::abs(exponent) <= 8;
  return fits ? 1.0 : std::ldexp(1.0, exponent / 2);
}

/// What q carries in f16, where the wanted score over the carrier may have no number: the square
/// root of the largest one, so that q and k share the exponent.
template <class Score>
double large_carrier(const Problem& p, double carrier, const Score& score) {
  if (p.format != Format::binary16) return carrier;
  double most = 0;
  for (std::int64_t head = 0; head < p.shape.B * p.shape.H_kv; ++head)
    for (std::int64_t j = 0; j < p.shape.S; ++j)
      most = std::max(most, std::fabs(score(head, j) / scale_value(p)));
  if (most < 0x1p12) return carrier;
  return std::copysign(std::ldexp(1.0, std::ilogb(most) / 2), carrier);
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
  const double carrier = large_carrier(p, carriers[c.below(4)], score);
  const double size = noise * std::min(1.0, score_factor(p, 1.0));
  fill(p.q, [&](std::int64_t, std::int64_t, std::int64_t d) {
    return d == 0 ? carrier : size * c.gaussian();
  });
  fill(p.k, [&](std::int64_t head, std::int64_t j, std::int64_t d) {
    return d == 0 ? score(head, j) / (scale * carrier) : c.gaussian();
  });
}

void rising_scores(Choices& c, Problem& p) {
  constexpr std::int64_t tiles[] = {1, 8, 16, 32, 64};
  // The slow ones rescale once in every tile of many, by so little each time that errors add up.
  constexpr double steps[] = {2, 10, 30, 0.5, 0.125, 0.03125};
  const std::int64_t tile = p.shape.S < 16 ? 1 : tiles[c.below(5)];
  const double step = steps[c.below(6)];
  const bool falls = c.chance(1, 5);
  designed_scores(c, p, 0.5, [&](std::int64_t, std::int64_t j) {
    return static_cast<double>(falls ? -(j / tile) : j / tile) * step;
  });
}

/// Keys at the edges of what the masks of a batch entry show, on either side of each.
std::int64_t edge_of_masks(Choices& c, const Problem& p, std::int64_t b) {
  std::vector<std::int64_t> edges;
  const MaskSpec& mask = p.mask;
  if (mask.causal || mask.window) {
    const std::int64_t diagonal = c.between(0, p.shape.L - 1) + diagonal_offset(p, b);
    edges.push_back(diagonal);
    if (mask.window && mask.window->left) edges.push_back(diagonal - *mask.window->left - 1);
    if (mask.window && mask.window->right) edges.push_back(diagonal + *mask.window->right);
  }
  if (mask.key_range) {
    edges.push_back(mask.key_range->start[static_cast<std::size_t>(b)] - 1);
    edges.push_back(mask.key_range->end[static_cast<std::size_t>(b)] - 1);
  }
  if (edges.empty()) return c.between(0, p.shape.S - 1);
  const std::int64_t edge = edges[c.below(edges.size())];
  return c.chance(1, 2) ? edge + 1 : edge;
}

void needle_scores(Choices& c, Problem& p) {
  constexpr double gaps[] = {10, 30, 100, 300};
  constexpr std::int64_t tiles[] = {16, 32, 64, 128};
  const double gap = gaps[c.below(4)];
  const std::int64_t S = p.shape.S, last = std::max<std::int64_t>(S - 1, 0);
  std::vector<std::int64_t> places;
  for (std::int64_t head = 0; head < p.shape.B * p.shape.H_kv; ++head) {
    const std::int64_t tile = tiles[c.below(4)];
    const std::uint64_t kind = c.below(7);
    const std::int64_t place = kind == 0   ? 0
                               : kind == 1 ? last
                               : kind == 2 ? tile
                               : kind == 3 ? tile - 1
                               : kind == 4 ? c.between(0, last)
                                           : edge_of_masks(c, p, head / p.shape.H_kv);
    places.push_back(std::clamp<std::int64_t>(place, 0, last));
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

}  // namespace

void gaussian_scores(Choices& c, Problem& p, double wanted) {
  const double factor = score_factor(p, wanted);
  const double share = share_of_k(p.format, factor);
  fill_gaussian(c, p.q, factor / share);
  fill_gaussian(c, p.k, share);
}

void plain_scores(Choices& c, Problem& p) {
  if (p.shape.d_k == 0) return;
  const double now = std::fabs(scale_value(p)) * std::sqrt(static_cast<double>(p.shape.d_k));
  gaussian_scores(c, p, now > 8 ? 8.0 : now < 0.25 ? 0.25 : now);
}

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

}  // namespace qkvet::detail
