// The second look at a case that passed: are its errors those of an honest kernel? SUSPECT at
// most, and only if two redraws repeat it.  docs/bounds.md 10.6
#pragma once

#include <optional>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/check/statistics.hpp>
#include <qkvet/check/verdict.hpp>
#include <string_view>

namespace qkvet {

/// True if V of this stratum of the draw is random and independent of the scores, and the scores
/// are of a kind of which the model speaks.
[[nodiscard]] bool has_random_values(std::string_view stratum);

/// The oracle that errors of that storage format are measured by: for f64 doubles are too coarse.
[[nodiscard]] Rung rung_of(Format format);

/// The same problem with new numbers: channels of q and k times factors between 3/4 and 5/4, rows of
/// V dealt to other keys. Scores change, their order of size and their pattern hardly do.
[[nodiscard]] Problem redrawn(const Problem& problem, std::uint64_t seed);

/// A Suspect with the words for the report, if the first exhibit of a plan and two redraws of it
/// all exceed a critical value. Runs the candidate twice at most.
[[nodiscard]] std::optional<Suspect> suspicion(const Exhibit& shown, Candidate& candidate,
                                               const Tally& tally);

}  // namespace qkvet
