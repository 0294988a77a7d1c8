// The properties; a source file of this folder holds one, or a family of the same plan. registry.cpp puts them in order.
#pragma once

#include <qkvet/check/property.hpp>

namespace qkvet {

extern const Property matches_reference;
extern const Property rows_sum_to_one;
extern const Property masked_weight_zero;
extern const Property masked_inputs_dead;
extern const Property equal_scores_uniform;
extern const Property key_value_permutation;
extern const Property value_column_permutation;
extern const Property softmax_axis;
extern const Property empty_row;
extern const Property single_visible_key;
extern const Property convex_hull;
extern const Property score_shift;
extern const Property nan_stays_in_its_row;
extern const Property visible_nan_due;
extern const Property infinity_confined;
extern const Property no_overflow;
extern const Property signed_zero;
extern const Property subnormal;
extern const Property causal_equals_mask;
extern const Property window_equals_mask;
extern const Property key_range_equals_mask;
extern const Property alibi_equals_bias;
extern const Property bool_equals_minus_inf;
extern const Property neutral_feature;
extern const Property mask_broadcast;
extern const Property mask_intersection;
extern const Property value_power_of_two;
extern const Property value_negation;
extern const Property value_linearity;
extern const Property value_shift;
extern const Property constant_values;
extern const Property value_columns_independent;
extern const Property lse_ignores_values;
extern const Property chunked_equals_whole;
extern const Property decode_equals_prefill;
extern const Property query_permutation;
extern const Property hidden_key;
extern const Property padded_equals_unpadded;
extern const Property left_pad_shift;
extern const Property neighbour_independence;
extern const Property batch_invariance;
extern const Property batch_permutation;
extern const Property head_permutation;
extern const Property grouped_equals_repeated;
extern const Property mirror;
extern const Property future_key_dead;
extern const Property out_of_window_dead;
extern const Property hidden_nonfinite;
extern const Property split_merge;
extern const Property duplicate_keys;
extern const Property leave_one_out;
extern const Property lse_weights;
extern const Property sink_from_lse;
extern const Property sink_equals_key;
extern const Property bias_tilt;
extern const Property negate_q_and_k;
extern const Property scale_fold;
extern const Property zero_channels;
extern const Property orthogonal_basis;
extern const Property softcap_limits;
extern const Property dominant_key;
extern const Property low_and_high_scores;
extern const Property layout;
extern const Property repeat;
extern const Property history_free;
extern const Property every_argument_matters;
extern const Property num_splits;
extern const Property threads;
extern const Property outputs_written;
extern const Property memory_kept;
extern const Property range_limits;
extern const Property minus_inf_score;
extern const Property reject_or_correct;

}  // namespace qkvet
