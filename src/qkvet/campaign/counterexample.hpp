// A finding as a file that replays: the exact case, then what is known of it.
#pragma once

#include <cstdint>
#include <map>
#include <qkvet/problem/problem.hpp>
#include <string>
#include <string_view>

namespace qkvet {

/// Line 1 is the `qk1:` text; every further line is `# key: value`.
struct Counterexample {
  Problem problem;
  std::map<std::string, std::string> about;  ///< property, candidate, contract, finding, seed, ...
};

/// One line per value: line ends inside a value become spaces.
[[nodiscard]] std::string write_counterexample(const Counterexample& example);

/// Strict: InputError(bad_data) with `source`, line and field for a line that is neither.
[[nodiscard]] Counterexample read_counterexample(std::string_view text, std::string_view source);

}  // namespace qkvet
