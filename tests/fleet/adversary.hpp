// Values that follow the weights, so that errors of weights do not cancel: what the worst case of
// docs/bounds.md 5 is made of. Draws never do that.
#pragma once

#include <cstdint>
#include <qkvet/problem/problem.hpp>

namespace fleet {

/// The same problem with other V. For each key/value head one of its query rows is chosen; columns
/// take turns: the sign of what rounding the row's weights to the storage format (f32 in f32 and
/// f64) changes, with magnitudes between 1 and 2; the old values, sorted as the weights; the sign of
/// key's distance from the row's median weight. Columns with a NaN or an infinity stay.
[[nodiscard]] qkvet::Problem with_hostile_values(qkvet::Problem problem, std::uint64_t seed);

}  // namespace fleet
