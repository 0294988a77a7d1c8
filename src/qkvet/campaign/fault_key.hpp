// Which findings stand for one fault: told by what their minimal cases have.
#pragma once

#include <qkvet/check/verdict.hpp>
#include <qkvet/problem/problem.hpp>
#include <string>

namespace qkvet {

/// What is left of a fault when everything else is gone, in words that do not depend on where the
/// search began: label, class and kind of the wrong output, extents above 1 by their power of two,
/// features. "wrong finite checked, S > 64, bool-mask". Whatever property found it.
[[nodiscard]] std::string fault_key(const Problem& minimal, const Finding& finding);

/// True if `problem` has all that the minimal case of a known fault has: extents as large, its
/// features. Then that fault may be what fails here; else it is not.
[[nodiscard]] bool may_hold(const Problem& problem, const Problem& minimal);

}  // namespace qkvet
