// The judges of relations between two runs: `meet` (|f(got) - got'| <= f(E) + E') and, where the
// contract promises it, `bits` (equal encodings). Both ask the oracle first (relations.md, rules 2
// to 4).
#pragma once

#include <functional>
#include <optional>
#include <qkvet/check/ledger.hpp>

namespace qkvet {

/// Here f(x) = x + shift. Both places must be `checked`, else there is nothing to compare. Rounds
/// in favour of the candidate. Throws OracleDisagreement if the exact enclosures contradict the
/// relation.
void meet(Ledger& ledger, const Spot& from, const Spot& to, const Interval& shift);

/// Equal encodings; +0 equals -0; NaN equals NaN only where both places admit it. The oracle is
/// asked first.
void equal_bits(Ledger& ledger, const Spot& from, const Spot& to);

/// Where `to`'s place comes from in the first run; absent: not related.
using PlaceMap = std::function<std::optional<PlaceIndex>(const PlaceIndex&)>;

/// Relates every output and LSE of `to` that `map` names: by bits if promised, else by `meet`.
/// `lse_shift` is what the relation adds to the LSE (then never by bits).
void relate(Ledger& ledger, bool promised, const Exhibit& from, const Exhibit& to,
            const PlaceMap& map, const Interval& lse_shift = {0, 0});

}  // namespace qkvet
