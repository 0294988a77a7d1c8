// What "simpler" means: a total order on Problems, and the ordered list of smaller ones to try.
#pragma once

#include <functional>
#include <qkvet/problem/domain.hpp>
#include <qkvet/problem/problem.hpp>

namespace qkvet {

/// One pass over the Problems that are a step simpler than `problem`, valid and inside `domain`,
/// the boldest steps first: batch, heads, rows, keys, channels; then features off, masks of simpler
/// kinds; then layout; then values (0, +-1, small integers, powers of two, fewer bits), and for few
/// values every assignment of 0 and +-1, the simplest first. An offer that `keep` accepts becomes
/// the problem from which the pass goes on; the last accepted one is the result. True if any was
/// accepted. Each offer is strictly smaller than the problem it came from, so repeating until false
/// ends.
bool simpler(const Problem& problem, const Domain& domain,
             const std::function<bool(const Problem&)>& keep);

/// The total order: negative if a is simpler than b, 0 only for equal problems. Shape first, then
/// features, layout, values.
[[nodiscard]] int compare_complexity(const Problem& a, const Problem& b);

}  // namespace qkvet
