// A finding as a file that replays: the exact case, then what is known of it.
#pragma once

#include <cstdint>
#include <map>
#include <qkvet/problem/problem.hpp>
#include <string>
#include <string_view>

namespace qkvet {

/// Version of case *files*; the case itself has its own in the prefix `qk1:`.
inline constexpr int case_file_version = 1;

/// Line 1 is the `qk1:` text; lines 2 and 3 are `# case-file: 1` and `# checksum: 16 hex digits`,
/// every further line is `# key: value`.
struct Counterexample {
  Problem problem;
  std::map<std::string, std::string> about;  ///< property, candidate, contract, finding, seed, ...
};

/// One line per value: line ends inside a value become spaces. Version and checksum are written.
[[nodiscard]] std::string write_counterexample(const Counterexample& example);

/// Strict: InputError(bad_data) with `source`, line and field for a line that is neither, for
/// another version, for a checksum that does not fit and for one that is due (a version is given)
/// and missing. A file with neither version nor checksum was written by hand and is taken as it is.
[[nodiscard]] Counterexample read_counterexample(std::string_view text, std::string_view source);

/// XXH3 of all lines but the one of the checksum, each ended by one '\n': 16 hex digits. A file
/// that was copied to another system keeps it.
[[nodiscard]] std::string checksum_of(std::string_view text);

}  // namespace qkvet
