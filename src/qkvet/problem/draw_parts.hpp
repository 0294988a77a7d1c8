// The parts of `draw`, one file each; internal to the room.
#pragma once

#include <qkvet/problem/domain.hpp>
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

/// A feature is drawn with probability percent/100 unless the domain decides.
[[nodiscard]] bool wants(Choices& choices, Allow allow, std::uint64_t percent);

/// `wish` if it lies in the range, else a number near the end that it missed.
[[nodiscard]] std::int64_t fit(Choices& choices, const Range& range, std::int64_t wish);

[[nodiscard]] Values draw_stratum(Choices& choices, const Domain& domain);
[[nodiscard]] Shape draw_shape(Choices& choices, const Domain& domain);
/// Scale, softcap, ALiBi, LSE: what needs neither masks nor values.
void draw_numbers(Choices& choices, const Domain& domain, Problem& problem);
void draw_masks(Choices& choices, const Domain& domain, Values stratum, Problem& problem);
void draw_values(Choices& choices, Values stratum, Problem& problem);
/// NaN, infinity and garbage, in visible or in hidden places.
void draw_nonfinite(Choices& choices, const Domain& domain, Values stratum, Problem& problem);
void draw_sinks(Choices& choices, const Domain& domain, Problem& problem);
void draw_layouts(Choices& choices, const Domain& domain, Problem& problem);

/// Makes some row empty by one mask or by two together; false if the domain has no way.
bool empty_a_row(Choices& choices, const Domain& domain, Problem& problem);
/// Gives each empty row one visible key where the boolean mask or the bias alone took it.
void repair_rows(Choices& choices, Problem& problem);

/// Query and key/value heads inside the domain, the smallest that fit; false if there are none.
bool fit_heads(const Domain& domain, Shape& shape);

/// The index of a broadcast tensor's element: axes of extent 1 repeat.
[[nodiscard]] std::size_t broadcast_index(const std::array<std::int64_t, 4>& extents,
                                          const std::array<std::int64_t, 4>& place);

}  // namespace qkvet::detail
