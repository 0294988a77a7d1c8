// What "simpler" means: a total order on Problems, and the ordered list of smaller ones to try.
#pragma once

#include <functional>
#include <qkvet/problem/domain.hpp>
#include <qkvet/problem/problem.hpp>

namespace qkvet {

/// Offers every Problem that is one step simpler than `problem` and inside `domain`, the boldest
/// steps first: batch, heads, rows, keys, channels; then masks and features; then layout; then
/// values (0, +-1, powers of two, fewer bits). Stops when `keep` returns true (the step is taken)
/// and returns true then. Each offered Problem is strictly smaller in the total order, so repeating
/// it ends.
bool simpler(const Problem& problem, const Domain& domain,
             const std::function<bool(const Problem&)>& keep);

/// The total order: negative if a is simpler than b. Shape first, then features, layout, values.
[[nodiscard]] int compare_complexity(const Problem& a, const Problem& b);

}  // namespace qkvet
