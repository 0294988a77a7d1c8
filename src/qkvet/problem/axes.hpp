// A problem cut along one of its axes.
#pragma once

#include <cstdint>
#include <qkvet/problem/problem.hpp>
#include <vector>

namespace qkvet {

enum class Axis : std::uint8_t { batch, kv_head, group, row, key, row_and_key, d_k, d_v, d_both };

[[nodiscard]] std::int64_t extent(const Problem& problem, Axis axis);

/// The problem with only the given indices of an axis, all tensors, ranges and biases cut along.
/// Diagonals keep their kind.
[[nodiscard]] Problem cut(const Problem& problem, Axis axis, const std::vector<std::int64_t>& kept);

}  // namespace qkvet
