// What the screen leaves over, one row at a time: the first rung, then Arb. No plan, no impostors,
// no second call: only whether the row is admitted.
#pragma once

#include <cstdint>
#include <qkvet/contract/contract.hpp>
#include <qkvet/problem/problem.hpp>

namespace qkvet::fuzz {

/// True if the contract admits the row's d_v outputs and its LSE (null if the problem asks for
/// none). False: the waist has to look.
[[nodiscard]] bool admitted(const Problem& problem, const Contract& contract, std::int64_t b,
                            std::int64_t h, std::int64_t i, const double* o, const double* lse);

}  // namespace qkvet::fuzz
