// Running a plan, and what follows from how the calls ended before any value is looked at.
#pragma once

#include <optional>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/check/property.hpp>
#include <span>
#include <vector>

namespace qkvet {

/// Runs every problem of the plan that the contract's limits take, the floating-point environment
/// restored after each call. `admissible` stays empty: the candidate runs before any oracle. The
/// plan must outlive the result.
[[nodiscard]] std::vector<Exhibit> observe(std::span<const PlannedRun> runs,
                                           const Contract& contract, Candidate& candidate);

/// A verdict if the calls decide the case alone. A crash, a time-out, a failure or a memory fault:
/// Fail. A refusal: Fail inside the limits that the candidate itself declared (reject or correct),
/// else Refused.
[[nodiscard]] std::optional<Verdict> judge_calls(const Property& property,
                                                 std::span<const Exhibit> exhibits,
                                                 const Candidate& candidate);

}  // namespace qkvet
