// The two exact ways to add a constant to every score of a problem: through the bias and the sinks,
// or through one channel of q and k (relations.md rule 7).
#pragma once

#include <qkvet/contract/contract.hpp>
#include <qkvet/problem/problem.hpp>

namespace qkvet {

/// The bias form: bias (a new one if there is none) and sinks on a grid, on which powers of two up
/// to 2^16 are added exactly.
[[nodiscard]] Problem bias_base(const Problem& problem);
[[nodiscard]] Problem bias_shifted(const Problem& base, double shift);
[[nodiscard]] bool may_use_bias(const Problem& problem, const Contract& contract);

/// The channel form: the last channel has q = `q` and k = `k` (0 or 1) everywhere.
[[nodiscard]] Problem channel(const Problem& problem, double q, double k);
/// A power of two, as near to wanted / |scale| as the format takes; 0 if none is in range.
[[nodiscard]] double channel_query(const Problem& problem, double wanted);
[[nodiscard]] bool may_use_channel(const Problem& problem);

}  // namespace qkvet
