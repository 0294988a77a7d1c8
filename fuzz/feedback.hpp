// What an engine is told of a case beside the kernel's branches: counters that libFuzzer takes for
// features (-use_counters=0: each one that is not 0 is a feature). A kernel has one path for most
// problems; these say how far a case is from others on that path.
#pragma once

#include <cstdint>
#include <qkvet/problem/problem.hpp>

namespace qkvet::fuzz {

/// Whether anything is noted at all (`--feedback=no` of settings.hpp).
void set_feedback(bool on);

/// The classes of rows (how many keys are seen, which kinds of masks hide some, place in the heads,
/// last tile whole or not), and of extents with the layouts of V and K.
void note_problem(const Problem& problem);

/// The largest score that a row sees, by its sign and power of two, with and without grouped heads.
void note_scores(const Problem& problem, double largest);

/// Error / bound of an output that was accepted, by quarters of a power of two.
void note_error(const Problem& problem, double ratio);

/// How many counters are set; and clears them. For tests: an engine does so itself.
[[nodiscard]] std::int64_t counted_and_cleared();

}  // namespace qkvet::fuzz
