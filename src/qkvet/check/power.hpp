// Power: a pass counts only if the plan would have rejected answers that are plainly wrong
// (impostors). A case that is weak by nature is paired with a control of the same shape
// (docs/properties.md).
#pragma once

#include <optional>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/check/decide.hpp>
#include <qkvet/check/property.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qkvet {

[[nodiscard]] std::string_view word(Impostor impostor);

/// What the impostor would have answered to this problem, computed in plain double. Absent where it
/// is no impostor: the unmasked output of a problem that hides no key. The LSE is an admitted one,
/// so that a rejection rests on O.
[[nodiscard]] std::optional<Outputs> impostor_outputs(Impostor impostor, const Exhibit& exhibit);

/// `absent`: nothing in these exhibits is what this impostor would get wrong.
enum class Tried : std::uint8_t { rejected, accepted, absent };

/// Lets the impostor stand in for every run and asks the judge. The exhibits are left as they were.
[[nodiscard]] Tried try_impostor(Impostor impostor, const Judge& judge,
                                 std::span<Exhibit> exhibits);

/// Controls for a weak case, to be tried in order: the same shape and masks with telling values;
/// then without masks and with at least two keys; then causal only. All inside the contract's
/// limits.
[[nodiscard]] std::vector<PlannedRun> controls(const Problem& problem, const Contract& contract);

/// `pass` if the plan and, where it is weak, its controls reject every impostor; Vacuous if some
/// impostor stands; the control's own verdict if the candidate fails there.
[[nodiscard]] Verdict with_power(const Property& property, const Judge& judge, const Pass& pass,
                                 std::span<Exhibit> exhibits, Candidate& candidate);

}  // namespace qkvet
