// The four steps of tiled attention over one tile of queries and one tile of keys, each a small
// function on plain arrays: product, mask, softmax, product.
#pragma once

#include <cstdint>
#include <vector>

namespace qkvet::kernels {

inline constexpr std::int64_t tile_rows = 16;  ///< queries per tile
inline constexpr std::int64_t tile_keys = 64;  ///< keys per tile; the contract declares it
inline constexpr std::int64_t dot_lanes = 16;  ///< partial sums of one dot product; declared too

/// The tile in work. Rows beyond `rows` and keys beyond `keys` are not touched.
struct Tile {
  /// Room for tiles of a problem with L queries and S keys.
  Tile(std::int64_t L, std::int64_t S, std::int64_t d_k, std::int64_t d_v);

  std::int64_t d_k, d_v;
  std::int64_t rows = 0, keys = 0;
  std::vector<float> q;             ///< [rows, d_k]
  std::vector<float> k;             ///< [keys, d_k]
  std::vector<float> v;             ///< [keys, d_v]
  std::vector<float> scores;        ///< [rows, tile_keys]; weights after softmax_step
  std::vector<std::uint8_t> shown;  ///< [rows, tile_keys]: the mask, true = attend
  std::vector<float> part;          ///< [d_v]: the weighted values of one row of this tile

  [[nodiscard]] std::int64_t at(std::int64_t r, std::int64_t j) const { return r * tile_keys + j; }
};

/// What an online softmax remembers of the keys so far, per row.
struct State {
  explicit State(std::int64_t d_v);

  std::vector<float> maximum;  ///< [tile_rows], -inf before the first finite score
  std::vector<float> sum;      ///< [tile_rows]: sum of exp(score - maximum)
  std::vector<float>
      rescale;  ///< [tile_rows]: exp(old maximum - new maximum) of the last softmax step
  std::vector<float> values;  ///< [tile_rows, d_v]: weighted values, not yet divided by sum
};

/// Scores from exact zero: scores = scale * q k^T.
void product_step(Tile& tile, float scale);

/// scores = cap * tanh(scores / cap).
void cap_step(Tile& tile, float cap);

/// New maxima; scores become weights exp(score - maximum), hidden keys weigh 0; sums are updated.
void softmax_step(Tile& tile, State& state);

/// values = values * rescale + weights v. The tile is summed by itself first; hidden keys are
/// skipped.
void value_step(Tile& tile, State& state);

}  // namespace qkvet::kernels
