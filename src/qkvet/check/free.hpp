// The judge `free`: an output against an interval that is known without the oracle.
#pragma once

#include <qkvet/check/ledger.hpp>
#include <string_view>

namespace qkvet {

/// |got - x| <= radius for some x of `exact`, at places that are `checked` or `hull`; elsewhere
/// nothing is asked (the place is counted by `own`). Throws OracleDisagreement if the oracle's
/// enclosure of a checked place misses `exact` (relations.md rule 4).
void judge_free(Ledger& ledger, const Spot& spot, const Interval& exact, double radius,
                std::string_view why);

/// The enclosure of a checked place must meet `exact`, else OracleDisagreement. Judges nothing.
void expect_enclosure(const Spot& spot, const Interval& exact, std::string_view why);

}  // namespace qkvet
