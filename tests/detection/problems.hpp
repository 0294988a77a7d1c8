// The problems of the measurement: twelve classes of inputs, with masks, biases, softcaps and sinks.
#pragma once

#include <cstdint>
#include <qkvet/problem/problem.hpp>
#include <string_view>

namespace detection {

struct Case {
  qkvet::Problem problem;
  std::string_view input;     ///< name of its class
  bool random_values = true;  ///< V is random and independent of the scores
};

/// Case number `n` of `seed`, with an LSE. `most_keys`: cap of S (1,024 in the measurement).
[[nodiscard]] Case draw_case(qkvet::Format format, std::uint64_t seed, std::int64_t n,
                             std::int64_t most_keys = 1024);

/// The same problem with other values: a column of ones, one key at a time (the last, that at S/2,
/// the first), then random signs.
[[nodiscard]] qkvet::Problem with_probe(const qkvet::Problem& problem, std::uint64_t seed);

}  // namespace detection
