// Long lists in a report for people: grouped and broken into lines that fit a terminal.
#pragma once

#include <string>
#include <vector>

namespace qkvet {

/// The assumed fields of a contract, short, grouped by the section that sets them; each line after
/// `indent`. Fields come as "field = value (meaning; set by --contract, [section] field = ...)".
[[nodiscard]] std::string assumed_lines(const std::vector<std::string>& fields,
                                        const std::string& indent);

/// `items` after `head`, separated by spaces; further lines after `indent`.
[[nodiscard]] std::string wrapped(const std::string& head, const std::vector<std::string>& items,
                                  const std::string& indent);

}  // namespace qkvet
