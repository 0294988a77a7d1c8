// A target that feeds a parser: no crash, and an exact round trip of what it accepts.
#pragma once

#include <string_view>

namespace qkvet::fuzz {

/// Defined by each file of targets/ that feeds a parser. Returns normally if the text is refused by
/// InputError or comes back exactly.
void parse_and_compare(std::string_view input);

/// Ends the run as a find if the condition does not hold.
void must(bool holds, const char* what);

}  // namespace qkvet::fuzz
