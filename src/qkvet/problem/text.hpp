// The case text: one line (or one file) that carries a Problem with its exact bits.
#pragma once

#include <qkvet/problem/problem.hpp>
#include <string>
#include <string_view>

namespace qkvet {

/// The canonical `qk1:` text of a problem, one line, exact: docs/cases.md has the grammar. Runs of
/// equal values are written value*count, values are small decimal integers or hex floats.
[[nodiscard]] std::string write_case(const Problem& problem);

/// The same text with line breaks before its fields: what a case file starts with. Ends in a
/// newline.
[[nodiscard]] std::string write_case_lines(const Problem& problem);

/// Reads `qk1:` text strictly. `source` names the file or option in messages. Lines may break
/// before a
/// '/'; lines that begin with '#' are metadata and skipped, as are empty ones. Unknown keys,
/// duplicates, sizes that overflow, missing tensors, trailing text: InputError(bad_data) with
/// source, line, field.
[[nodiscard]] Problem read_case(std::string_view text, std::string_view source);

}  // namespace qkvet
