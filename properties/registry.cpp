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
