// When is an enclosure narrow enough that agreeing with it means something?
#pragma once

#include <optional>
#include <qkvet/oracle/enclosure.hpp>
#include <string>

namespace qkvet {

/// Absent if every interval of the row that its class promises is tight (docs/oracle.md 5), else
/// the first one that is not, in words. `value_max`: largest finite |V| of each column.
[[nodiscard]] std::optional<std::string> not_tight(const RowEnclosure& row,
                                                   const std::vector<double>& value_max);

}  // namespace qkvet
