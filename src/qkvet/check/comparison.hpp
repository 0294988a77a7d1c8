// Outputs beside exact values: what the criteria of others need and our verdict does not.
#pragma once

#include <qkvet/check/criteria.hpp>
#include <qkvet/check/property.hpp>

namespace qkvet {

/// The outputs O of the exhibit's first call beside the exact ones. `twin` holds the outputs of a
/// plain implementation of the same problem, or is null. Places that the contract leaves open are
/// left out; places where it permits overflow are not: no other rule knows of that.
/// Requires: the exhibit is admitted and its call gave outputs.
/// Cost: the first rung once more, Arb for rows that it does not decide and for f64.
[[nodiscard]] Comparison compare_with_exact(const Exhibit& exhibit, const Outputs* twin);

}  // namespace qkvet
