// Strict readers of option values: each message names the option, the value and what would be
// right.
#pragma once

#include <cstdint>
#include <qkvet/num/format.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace qkvet::cli {

[[nodiscard]] std::uint64_t read_seed(std::string_view option, std::string_view text);
[[nodiscard]] std::int64_t read_count(std::string_view option, std::string_view text,
                                      std::int64_t min, std::int64_t max);
/// A finite double, decimal or hexadecimal.
[[nodiscard]] double read_number(std::string_view option, const std::string& text);
/// Seconds above zero: "10", "10s", "500ms", "2m".
[[nodiscard]] double read_seconds(std::string_view option, std::string_view text);
[[nodiscard]] Format read_format(std::string_view option, std::string_view text);
/// "all", or the name of one format, appended once.
void add_formats(std::string_view option, std::string_view text, std::vector<Format>& formats);

}  // namespace qkvet::cli
