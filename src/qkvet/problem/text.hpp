// The case text: one line (or one file) that carries a Problem with its exact bits.
#pragma once

#include <qkvet/problem/problem.hpp>
#include <string>
#include <string_view>

namespace qkvet {

/// The canonical `qk1:` text of a problem, one line, exact: docs/cases.md has the grammar. Runs of
/// equal values are written n*value, values are hex floats or small decimal integers.
[[nodiscard]] std::string write_case(const Problem& problem);

/// Reads `qk1:` text strictly. `source` names the file or option in messages. Unknown keys,
/// duplicates, sizes that overflow, missing tensors, trailing text: InputError(bad_data) with
/// source, line, field.
[[nodiscard]] Problem read_case(std::string_view text, std::string_view source);

}  // namespace qkvet
