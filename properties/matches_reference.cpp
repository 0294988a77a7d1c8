// matches-reference: each output in its own allowed set. All the other properties add to this one
// only in the six cases of relations.md rule 1; it is the baseline that they are measured against.
#include <qkvet/check/ledger.hpp>

#include "properties/list.hpp"
#include "properties/probe_columns.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "matches-reference";

Plan plan(const Problem& problem, const Contract&) { return {{{problem, ""}}, {}}; }

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  return outside_limits(plan(problem, contract), contract);
}

Verdict judge(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  return ledger.verdict();
}

/// Every second problem carries probes; in the others all columns are of the drawn stratum.
void prepare(Problem& problem, std::uint64_t seed) {
  if (seed % 2 == 0) add_probes(problem, seed);
}

}  // namespace

constinit const Property matches_reference{
    name,
    "Every output and LSE lies in the set that the contract's arithmetic admits around the exact "
    "value.",
    applies,
    plan,
    judge,
    every_impostor,
    prepare,
    "no_scale"};

}  // namespace qkvet
