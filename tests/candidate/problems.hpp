// Small problems for tests of the guard: what is computed matters little here, only that it is
// finite.
#pragma once

#include <qkvet/problem/problem.hpp>

namespace qkvet {

inline Tensor test_tensor(Format format, std::array<std::int64_t, 4> extents, int seed) {
  Tensor tensor = make_tensor(format, extents);
  for (std::size_t i = 0; i < tensor.bits.size(); ++i) {
    const auto x = static_cast<int>((i * 37 + static_cast<std::size_t>(seed) * 11) % 17) - 8;
    tensor.bits[i] = encode(format, x / 8.0);
  }
  return tensor;
}

/// One batch entry, `heads` heads, values in [-1, 1] on a grid of 1/8.
inline Problem test_problem(std::int64_t L, std::int64_t S, std::int64_t d, std::int64_t heads = 1,
                            Format format = Format::binary32) {
  Problem problem;
  problem.shape = {1, heads, heads, L, S, d, d};
  problem.format = format;
  problem.q = test_tensor(format, {1, heads, L, d}, 1);
  problem.k = test_tensor(format, {1, heads, S, d}, 2);
  problem.v = test_tensor(format, {1, heads, S, d}, 3);
  return problem;
}

}  // namespace qkvet
