// Problems in which each row sees one key: by a boolean mask, a key range, a window of one, or S
// = 1.
#pragma once

#include <qkvet/contract/contract.hpp>
#include <qkvet/problem/problem.hpp>

namespace qkvet {

/// The first way that the contract's limits take, in an order that varies with the shape.
[[nodiscard]] Problem with_one_key(const Problem& problem, const Contract& contract);

}  // namespace qkvet
