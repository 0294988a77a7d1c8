// The measurement of masks, a file of its own; internal to the room.
#pragma once

#include <qkvet/problem/features.hpp>

namespace qkvet::detail {

void add_masks(FeatureValues& values, const Problem& problem);

}  // namespace qkvet::detail
