#include "properties/registry.hpp"

#include "properties/list.hpp"

namespace qkvet {

std::span<const Property> all_properties() {
  static const Property list[] = {
      matches_reference,
      rows_sum_to_one,
      masked_weight_zero,
      masked_inputs_dead,
      equal_scores_uniform,
      key_value_permutation,
      value_column_permutation,
      softmax_axis,
      empty_row,
      single_visible_key,
      convex_hull,
      score_shift,
      nan_stays_in_its_row,
      visible_nan_due,
      infinity_confined,
      no_overflow,
      signed_zero,
      subnormal,
      causal_equals_mask,
      window_equals_mask,
      key_range_equals_mask,
      alibi_equals_bias,
      bool_equals_minus_inf,
      neutral_feature,
      mask_broadcast,
      mask_intersection,
      value_power_of_two,
      value_negation,
      value_linearity,
      value_shift,
      constant_values,
      value_columns_independent,
      lse_ignores_values,
      chunked_equals_whole,
      decode_equals_prefill,
      query_permutation,
      hidden_key,
      padded_equals_unpadded,
      left_pad_shift,
      neighbour_independence,
      batch_invariance,
      batch_permutation,
      head_permutation,
      grouped_equals_repeated,
      mirror,
      future_key_dead,
      out_of_window_dead,
      hidden_nonfinite,
      split_merge,
      duplicate_keys,
      leave_one_out,
      lse_weights,
      sink_from_lse,
      sink_equals_key,
      bias_tilt,
      negate_q_and_k,
      scale_fold,
      zero_channels,
      orthogonal_basis,
      softcap_limits,
      dominant_key,
      low_and_high_scores,
      layout,
      repeat,
      history_free,
      every_argument_matters,
      num_splits,
      threads,
      outputs_written,
      memory_kept,
      range_limits,
      minus_inf_score,
      reject_or_correct,
  };
  return list;
}

const Property* property_named(std::string_view name) {
  for (const Property& property : all_properties()) {
    if (property.name == name) return &property;
  }
  return nullptr;
}

}  // namespace qkvet
