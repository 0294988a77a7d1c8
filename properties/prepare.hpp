// Nudges of drawn problems towards a property: keys hidden, a row emptied. Each has several ways,
// chosen by a seed, because a candidate may take only some of them.
#pragma once

#include <cstdint>
#include <qkvet/problem/problem.hpp>

namespace qkvet {

/// Hides keys by causal, a boolean mask or a key range, unless some row hides one already.
void hide_something(Problem& problem, std::uint64_t seed);

/// Hides every key from one row by a boolean mask or a -inf bias, from one entry by its key range,
/// or from all but the last rows by a causal diagonal at the bottom right. Requires outputs.
void empty_a_row(Problem& problem, std::uint64_t seed);

}  // namespace qkvet
