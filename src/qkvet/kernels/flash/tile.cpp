// The steps of flash over one tile. Sums have the structure that the contract declares: dot
// products in dot_lanes lanes, sums over keys first inside the tile, then over tiles.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <qkvet/kernels/flash/tile.hpp>

namespace qkvet::kernels {
namespace {

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

std::size_t elements(std::int64_t a, std::int64_t b) { return static_cast<std::size_t>(a * b); }

/// Lane l sums the products c = l mod dot_lanes; then the lanes are added in pairs.
float dot(const float* a, const float* b, std::int64_t n) {
  std::array<float, dot_lanes> lanes{};
  std::int64_t c = 0;
  for (; c + dot_lanes <= n; c += dot_lanes) {
    for (std::int64_t l = 0; l < dot_lanes; ++l) {
      lanes[static_cast<std::size_t>(l)] += a[c + l] * b[c + l];
    }
  }
  for (std::int64_t l = 0; c + l < n; ++l)
    lanes[static_cast<std::size_t>(l)] += a[c + l] * b[c + l];
  for (std::size_t half = dot_lanes / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) lanes[l] += lanes[l + half];
  }
  return lanes[0];
}

}  // namespace

Tile::Tile(std::int64_t L, std::int64_t S, std::int64_t key_size, std::int64_t value_size)
    : d_k(key_size),
      d_v(value_size),
      q(elements(std::min(L, tile_rows), d_k)),
      k(elements(std::min(S, tile_keys), d_k)),
      v(elements(std::min(S, tile_keys), d_v)),
      scores(elements(std::min(L, tile_rows), tile_keys)),
      shown(elements(std::min(L, tile_rows), tile_keys)),
      part(elements(1, d_v)) {}

State::State(std::int64_t d_v)
    : maximum(elements(tile_rows, 1)),
      sum(elements(tile_rows, 1)),
      rescale(elements(tile_rows, 1)),
      values(elements(tile_rows, d_v)) {}

void product_step(Tile& tile, float scale) {
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const float* query = tile.q.data() + r * tile.d_k;
    float* scores = tile.scores.data() + tile.at(r, 0);
    for (std::int64_t j = 0; j < tile.keys; ++j) {
      scores[j] = scale * dot(query, tile.k.data() + j * tile.d_k, tile.d_k);
    }
  }
}

void cap_step(Tile& tile, float cap) {
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    float* scores = tile.scores.data() + tile.at(r, 0);
    for (std::int64_t j = 0; j < tile.keys; ++j) scores[j] = cap * std::tanh(scores[j] / cap);
  }
}

void softmax_step(Tile& tile, State& state) {
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    float* scores = tile.scores.data() + tile.at(r, 0);
    const std::uint8_t* shown = tile.shown.data() + tile.at(r, 0);
    float& maximum = state.maximum[static_cast<std::size_t>(r)];
    float& sum = state.sum[static_cast<std::size_t>(r)];
    const float before = maximum;
    // A NaN score stays out of the maximum and comes back through its weight.
    for (std::int64_t j = 0; j < tile.keys; ++j) {
      if (shown[j] != 0 && scores[j] > maximum) maximum = scores[j];
    }
    // Nothing finite so far: any shift will do, but (-inf) - (-inf) would not.
    const float shift = maximum > minus_infinity ? maximum : 0.0F;
    float part = 0;
    for (std::int64_t j = 0; j < tile.keys; ++j) {
      scores[j] = shown[j] != 0 ? std::exp(scores[j] - shift) : 0.0F;
      part += scores[j];
    }
    const float rescale = std::exp(before - shift);
    sum = sum * rescale + part;
    state.rescale[static_cast<std::size_t>(r)] = rescale;
  }
}

void value_step(Tile& tile, State& state) {
  float* part = tile.part.data();
  for (std::int64_t r = 0; r < tile.rows; ++r) {
    const float* weights = tile.scores.data() + tile.at(r, 0);
    const std::uint8_t* shown = tile.shown.data() + tile.at(r, 0);
    for (std::int64_t d = 0; d < tile.d_v; ++d) part[d] = 0;
    for (std::int64_t j = 0; j < tile.keys; ++j) {
      if (shown[j] == 0) continue;
      const float weight = weights[j];
      const float* value = tile.v.data() + j * tile.d_v;
      for (std::int64_t d = 0; d < tile.d_v; ++d) part[d] += weight * value[d];
    }
    float* values = state.values.data() + r * tile.d_v;
    const float rescale = state.rescale[static_cast<std::size_t>(r)];
    for (std::int64_t d = 0; d < tile.d_v; ++d) values[d] = values[d] * rescale + part[d];
  }
}

}  // namespace qkvet::kernels
