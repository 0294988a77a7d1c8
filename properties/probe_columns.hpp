// Probe columns: values whose exact outputs show one thing each, in some columns of V. One run of
// the kernel checks them beside the drawn values.
#pragma once

#include <cstdint>
#include <qkvet/problem/problem.hpp>

namespace qkvet {

/// Replaces the last columns of V, at most half of them: by ones (the sum of the weights: all that
/// scores and exp do cancels in its bound), by one-hot columns (the weight of one key: the last one,
/// one at a border of tiles, one of the largest score, or any) and by random signs, which are
/// independent of the scores. Nothing if V has a single column or holds NaN or infinity.
/// Entries of a batch get the same probes, so that a stride of 0 stays possible.
void add_probes(Problem& problem, std::uint64_t seed);

}  // namespace qkvet
