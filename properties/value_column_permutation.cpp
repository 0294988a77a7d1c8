// value-column-permutation: output column d belongs to value column d, whatever its place. Here for
// cases (a) and (d) of relations.md rule 1: bits where columns are promised, and an order that is
// not drawn.
#include <qkvet/check/judge_own.hpp>
#include <qkvet/check/meet.hpp>

#include "properties/list.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "value-column-permutation";

/// map: new column d is old column map[d].
Plan plan(const Problem& problem, const Contract&) {
  Choices choices = choices_of(name);
  const std::vector<std::int64_t> order = permutation(choices, problem.shape.d_v);
  Plan plan{{{problem, ""}, {problem, "value columns permuted"}}, order};
  set_values(plan.runs[1].problem, [&](auto b, auto g, auto j, auto d) {
    return problem.v.value(b, g, j, order[static_cast<std::size_t>(d)]);
  });
  return plan;
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  if (problem.shape.outputs() == 0 || problem.shape.d_v < 2) return "it has no two value columns";
  return outside_limits(plan(problem, contract), contract);
}

Verdict judge(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  const PlaceMap from = [&plan](const PlaceIndex& at) -> std::optional<PlaceIndex> {
    if (at.c < 0) return at;
    return PlaceIndex{at.b, at.h, at.i, plan.map[static_cast<std::size_t>(at.c)]};
  };
  relate(ledger, exhibits[0].contract->promises.columns, exhibits[0], exhibits[1], from);
  return ledger.verdict();
}

}  // namespace

constinit const Property value_column_permutation{
    name,    "Permuting the columns of V permutes the columns of O and leaves the LSE.",
    applies, plan,
    judge,   every_impostor,
    nullptr, "last_column_repeats"};

}  // namespace qkvet
