// The features of a drawn problem and the values that each can have: one table, by which coverage is
// measured (on the problem itself, whoever made it) and draws are steered.
#pragma once

#include <array>
#include <cstdint>
#include <qkvet/problem/problem.hpp>
#include <span>
#include <string_view>

namespace qkvet {

/// In the order of feature_table().
enum class Feature : std::uint8_t {
  stratum,
  batch,
  group,
  kv_heads,
  lengths,
  rows,
  keys,
  keys_in_tile,
  key_channels,
  value_channels,
  aligned,
  causal,
  window,
  key_range,
  mask_batch,
  mask_heads,
  mask_rows,
  mask_keys,
  mask_bytes,
  first_tile,
  last_tile,
  one_visible,
  inside_only,
  tile_hole,
  emptied_row,
  bias_batch,
  bias_heads,
  bias_rows,
  bias_keys,
  bias_values,
  bias_format,
  finite_row,
  far_diagonal,
  scale,
  softcap,
  sinks,
  alibi,
  lse,
  layout_q,
  layout_k,
  layout_v,
  layout_o,
  layout_lse,
  layout_mask,
  layout_bias,
  base,
  thread_count,
  split_count,
};
inline constexpr std::size_t feature_total = 48;

/// A feature: its name and its values, the plain one first.
struct FeatureInfo {
  std::string_view name;
  std::span<const std::string_view> values;
};
[[nodiscard]] std::span<const FeatureInfo> feature_table();
[[nodiscard]] const FeatureInfo& info(Feature feature);
[[nodiscard]] std::string_view name_of(Feature feature, std::size_t value);

/// One value (an index of the table) for each feature, or `none`: as a measurement what the problem
/// does not say (the broadcast of an axis of extent 1), as a wish what may be anything.
class FeatureValues {
 public:
  static constexpr std::int8_t none = -1;
  FeatureValues() { values_.fill(none); }

  [[nodiscard]] std::int8_t operator[](Feature feature) const {
    return values_[static_cast<std::size_t>(feature)];
  }
  [[nodiscard]] std::int8_t& operator[](Feature feature) {
    return values_[static_cast<std::size_t>(feature)];
  }
  [[nodiscard]] bool is(Feature feature, std::size_t value) const {
    return (*this)[feature] == static_cast<std::int8_t>(value);
  }
  /// Wished for, whatever the value may be, but for `plain`, the first one.
  [[nodiscard]] bool wants(Feature feature) const { return (*this)[feature] > 0; }
  bool operator==(const FeatureValues&) const = default;

 private:
  std::array<std::int8_t, feature_total> values_;
};

/// The values that the problem has. `stratum` is the one that it was drawn in.
[[nodiscard]] FeatureValues features_in(const Problem& problem, std::string_view stratum);

}  // namespace qkvet
