// The properties, one per source file of this folder. registry.cpp puts them in order.
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

}  // namespace qkvet
