#include "properties/probe_columns.hpp"

#include <algorithm>
#include <cmath>
#include <qkvet/problem/draw.hpp>

namespace qkvet {
namespace {

enum class Probe : std::uint8_t { ones, one_hot, signs };

bool is_finite(const Tensor& tensor) {
  return std::all_of(tensor.bits.begin(), tensor.bits.end(),
                     [&](std::uint64_t bits) { return is_finite(tensor.format, bits); });
}

/// The key of the largest score of some row, in plain double: any key serves, this one tells most.
std::int64_t top_key(const Problem& p, Choices& c) {
  const Shape& s = p.shape;
  const std::int64_t b = c.between(0, s.B - 1), h = c.between(0, s.H_q - 1),
                     i = c.between(0, s.L - 1);
  double most = -std::numeric_limits<double>::infinity();
  std::int64_t top = s.S - 1;
  for (std::int64_t j = 0; j < s.S; ++j) {
    if (!visible(p, b, h, i, j)) continue;
    double x = 0;
    for (std::int64_t n = 0; n < s.d_k; ++n) {
      x += p.q.value(b, h, i, n) * p.k.value(b, s.kv_head(h), j, n);
    }
    x = x * scale_value(p) + bias_value(p, b, h, i, j);
    if (!(x > most)) continue;
    most = x;
    top = j;
  }
  return top;
}

std::int64_t marked_key(const Problem& p, Choices& c) {
  const std::int64_t S = p.shape.S;
  constexpr std::int64_t tiles[] = {16, 32, 64, 128};
  switch (c.below(4)) {
    case 0:
      return S - 1;
    case 1: {
      const std::int64_t tile = tiles[c.below(4)];
      const std::int64_t border = tile * c.between(1, std::max<std::int64_t>(S / tile, 1));
      return std::min(S - 1, border - (c.chance(1, 2) ? 1 : 0));
    }
    case 2:
      return top_key(p, c);
    default:
      return c.between(0, S - 1);
  }
}

void fill_column(Problem& p, std::int64_t d, Probe probe, Choices& c) {
  const Shape& s = p.shape;
  const std::int64_t hot = probe == Probe::one_hot ? marked_key(p, c) : 0;
  for (std::int64_t g = 0; g < s.H_kv; ++g) {
    for (std::int64_t j = 0; j < s.S; ++j) {
      const double sign = probe == Probe::signs && c.chance(1, 2) ? -1 : 1;
      const double value = probe == Probe::one_hot && j != hot ? 0 : sign;
      for (std::int64_t b = 0; b < s.B; ++b) p.v.set(b, g, j, d, value);
    }
  }
}

}  // namespace

void add_probes(Problem& p, std::uint64_t seed) {
  const Shape& s = p.shape;
  if (s.d_v < 2 || s.rows() == 0 || s.S == 0 || !is_finite(p.v)) return;
  Choices c = Choices::from_seed(seed);
  std::vector<Probe> probes{Probe::one_hot, Probe::ones, Probe::signs, Probe::one_hot};
  const auto most = static_cast<std::size_t>(s.d_v / 2);
  if (most < 3) std::rotate(probes.begin(), probes.begin() + c.between(0, 2), probes.begin() + 3);
  if (most < probes.size()) probes.resize(most);
  std::int64_t d = s.d_v;
  for (const Probe probe : probes) fill_column(p, --d, probe, c);
  p.layouts.v.strides.reset();  // entries and heads that were alike may no longer be
}

}  // namespace qkvet
