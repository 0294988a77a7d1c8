// From what was tried near a failing case to the rule that explains it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qkvet {

/// One extent that was tried.
struct Sample {
  std::int64_t at = 0;
  bool fails = false;
};

/// The simplest rule that explains every sample: "fails iff S mod 64 = 1 (24 of 24 tried)", "fails
/// iff d_v >= 65 (...)", "fails iff S = 7 (...)". A remainder is claimed only if at least two
/// different extents fail and two pass. If none explains all: "fails for 7 of 24 S tried, by no
/// simple rule". Absent if all fail alike, or none.
[[nodiscard]] std::optional<std::string> rule_of(std::string_view name,
                                                 std::vector<Sample> samples);

}  // namespace qkvet
