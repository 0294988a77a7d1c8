// Strides so large that an offset needs more than 31 bits, over tensors that are small themselves.
#pragma once

#include <cstdint>
#include <qkvet/problem/domain.hpp>
#include <qkvet/problem/problem.hpp>

namespace qkvet {

/// One case of matches-reference in this many is laid out so, where its problem allows.
inline constexpr std::uint64_t cases_per_far_stride = 48;

/// Sometimes moves the slices of one tensor along one axis so far apart that the last one begins
/// beyond 2^31 elements. Chosen by `seed` alone: what was drawn, and what is drawn next, stays as it
/// was. Only small tensors, and only inside the domain. True if it was done.
bool stride_far(Problem& problem, const Domain& domain, std::uint64_t seed);

}  // namespace qkvet
