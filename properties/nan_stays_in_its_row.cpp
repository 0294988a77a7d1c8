// nan-stays-in-its-row: a NaN reaches the rows and columns that use it and no others. Here for
// cases (a) and (d) of relations.md rule 1: bits where rows and columns are promised, and single
// NaNs put in on purpose.
#include <limits>
#include <qkvet/check/judge_own.hpp>

#include "properties/list.hpp"
#include "properties/specials.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "nan-stays-in-its-row";

/// Where a NaN is put, one run each: only where some output cannot depend on it.
std::vector<Special> places(const Problem& problem, const Contract& contract) {
  Choices choices = choices_of(name);
  std::vector<Special> kept;
  for (const Special& place : special_places(problem, contract, choices)) {
    if (spares_some(problem, contract, place)) kept.push_back(place);
  }
  return kept;
}

Plan plan(const Problem& problem, const Contract& contract) {
  Plan plan{{{problem, ""}}, {}};
  for (const Special& place : places(problem, contract)) {
    plan.runs.push_back({with_special(problem, place, std::numeric_limits<double>::quiet_NaN()),
                         "NaN in " + std::string(word(place.in))});
  }
  return plan;
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  const Shape& s = problem.shape;
  if (s.outputs() == 0 || s.S == 0 || s.d_k == 0) return "it has no place for a NaN";
  const Plan planned = plan(problem, contract);
  if (planned.runs.size() == 1) return "it has no place beside the NaN";
  return outside_limits(planned, contract);
}

Verdict judge(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  std::size_t run = 1;
  for (const Special& place : places(exhibits[0].run->problem, *exhibits[0].contract)) {
    relate_spared(ledger, exhibits[0], exhibits[run++], place);
  }
  return ledger.verdict();
}

}  // namespace

constinit const Property nan_stays_in_its_row{
    name,    "A NaN in q, k, v or the bias reaches only the rows and columns that use it.",
    applies, plan,
    judge,   every_impostor,
    nullptr, "nan_leaks_to_next_row"};

}  // namespace qkvet
