// The parts of `draw`, one file each; internal to the room.
#pragma once

#include <qkvet/problem/domain.hpp>
#include <initializer_list>
#include <qkvet/problem/draw.hpp>

namespace qkvet::detail {

/// The value strata in the order of strata().
enum class Values : std::uint8_t {
  unit_gaussian,
  grid,
  channel_means,
  scores_90,
  scores_1e4,
  rising_tiles,
  needle,
  flat_tail,
  near_uniform,
  equal_scores,
  key_outliers,
  cancelling_v,
  v_ones,
  v_key_index,
  v_identity,
  low_scores,
  low_then_high,
  empty_rows,
  hidden_garbage,
  visible_nonfinite,
  subnormal,
  format_limit,
};

/// A format in which noise of order one vanishes beside numbers of a few hundred, and which may
/// have no number for a large score: f16 and bf16.
[[nodiscard]] inline bool is_low(Format format) { return info(format).precision < 24; }

/// A feature is drawn with probability percent/100 unless the domain or a wish decides.
[[nodiscard]] bool wants(Choices& choices, Allow allow, std::uint64_t percent,
                         std::optional<bool> wish = {});
/// What a wish says of a feature whose first value is its absence.
[[nodiscard]] inline std::optional<bool> wish_of(const FeatureValues& wishes, Feature feature) {
  if (wishes[feature] == FeatureValues::none) return std::nullopt;
  return wishes.wants(feature);
}
/// The value of a feature: the one wished for, else a choice by weights. Choice 0 is the first one.
[[nodiscard]] std::size_t pick(Choices& choices, const FeatureValues& wishes, Feature feature,
                               std::initializer_list<std::uint64_t> weights);

/// `wish` if it lies in the range, else a number near the end that it missed.
[[nodiscard]] std::int64_t fit(Choices& choices, const Range& range, std::int64_t wish);

[[nodiscard]] Values draw_stratum(Choices& choices, const Domain& domain,
                                  const FeatureValues& wishes);
[[nodiscard]] Shape draw_shape(Choices& choices, const Domain& domain, const FeatureValues& wishes,
                               const CaseSize& size);
/// A shape of a kind of its own (whole tiles; very many keys, entries, heads or outputs): sometimes,
/// or where it is wished for, if the domain and its budget have it.
[[nodiscard]] std::optional<Shape> draw_special_shape(Choices& choices, const Domain& domain,
                                                      const FeatureValues& wishes,
                                                      const CaseSize& size);
/// Cuts a shape to `work` multiply-adds; what is wished for may cost more, some eight times
/// size.usual, but never more than the domain's budget.
void trim(Choices& choices, const Domain& domain, const FeatureValues& wishes,
          const CaseSize& size, std::int64_t work, Shape& shape);
/// Scale, softcap, ALiBi, LSE: what needs neither masks nor values.
void draw_numbers(Choices& choices, const Domain& domain, const FeatureValues& wishes,
                  Problem& problem);
void draw_masks(Choices& choices, const Domain& domain, Values stratum,
                const FeatureValues& wishes, Problem& problem);
[[nodiscard]] BoolMask draw_bool_mask(Choices& choices, const FeatureValues& wishes,
                                      const Shape& shape);
[[nodiscard]] Tensor draw_bias_tensor(Choices& choices, const Domain& domain,
                                      const FeatureValues& wishes, const Problem& problem);
/// Extents of a broadcast tensor: all 16 forms. `first` is the feature of its batch axis.
[[nodiscard]] std::array<std::int64_t, 4> draw_extents(Choices& choices,
                                                       const FeatureValues& wishes, Feature first,
                                                       const Shape& shape);
void draw_values(Choices& choices, Values stratum, Problem& problem);
/// Equal batch entries or heads in the tensors for which a stride of 0 is wished for.
void share_where_wished(Choices& choices, const FeatureValues& wishes, Problem& problem);
/// NaN, infinity and garbage, in visible or in hidden places.
void draw_nonfinite(Choices& choices, const Domain& domain, Values stratum, Problem& problem);
void draw_sinks(Choices& choices, const Domain& domain, const FeatureValues& wishes,
                Problem& problem);
void draw_layouts(Choices& choices, const Domain& domain, const FeatureValues& wishes,
                  Problem& problem);
/// Numbers of threads and splits.
void draw_call(Choices& choices, const Domain& domain, const FeatureValues& wishes,
               Problem& problem);

/// How a row is emptied.
inline constexpr std::uint64_t empty_ways = 9;
enum class Ways : std::uint8_t { all, by_one_part, by_parts_together };
/// Makes some row empty; false if the domain has no way.
bool empty_a_row(Choices& choices, const Domain& domain, Problem& problem, Ways ways = Ways::all);
/// Gives each empty row one visible key where the boolean mask or the bias alone took it.
void repair_rows(Choices& choices, Problem& problem);

/// Query and key/value heads inside the domain, the smallest that fit; false if there are none.
bool fit_heads(const Domain& domain, Shape& shape);

/// The index of a broadcast tensor's element: axes of extent 1 repeat.
[[nodiscard]] std::size_t broadcast_index(const std::array<std::int64_t, 4>& extents,
                                          const std::array<std::int64_t, 4>& place);

}  // namespace qkvet::detail
