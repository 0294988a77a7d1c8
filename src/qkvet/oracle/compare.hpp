// Do two oracles agree about a row?
#pragma once

#include <optional>
#include <qkvet/contract/contract.hpp>
#include <qkvet/oracle/enclosure.hpp>
#include <qkvet/oracle/sabotage.hpp>
#include <qkvet/problem/problem.hpp>
#include <string>
#include <vector>

namespace qkvet {

/// Absent if class, flags, visibility and finiteness agree and all enclosures of the two meet, else
/// the first field that does not, in words.
[[nodiscard]] std::optional<std::string> disagreement(const RowEnclosure& a, const RowEnclosure& b);

/// cross_check with a fault planted in Arb, in the definition, or (production) in neither.
[[nodiscard]] std::optional<std::string> cross_check_with(const Problem& problem,
                                                          const Semantics& semantics,
                                                          const Sabotage* in_arb,
                                                          const Sabotage* in_definition);

}  // namespace qkvet
