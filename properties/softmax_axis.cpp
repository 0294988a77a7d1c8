// softmax-axis: weights are normalised over the keys of a row, so a row alone is the same row among
// others. Here for cases (a), (c) and (d) of relations.md rule 1: bits where rows are promised, one
// alignment of the diagonal for all shapes, and single rows with their own offset.
#include <qkvet/check/judge_own.hpp>
#include <qkvet/check/meet.hpp>

#include "properties/list.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "softmax-axis";

Plan plan_for_row(const Problem& problem, std::int64_t row) {
  Plan plan{{{problem, ""}, {slice_rows(problem, row, 1), "one row alone"}, {problem, "V = 1"}},
            {row}};
  set_values(plan.runs[2].problem, [](auto, auto, auto, auto) { return 1.0; });
  return plan;
}

/// map: the row that is taken alone, the first of a few that the limits take (a candidate may know
/// the top-left diagonal only: then row 0, or the bottom-right one only: then the last row).
Plan plan(const Problem& problem, const Contract& contract) {
  Choices choices = choices_of(name);
  const std::int64_t last = problem.shape.L - 1;
  for (const std::int64_t row : {choices.between(last / 2, last), last, std::int64_t{0}}) {
    Plan plan = plan_for_row(problem, row);
    if (!outside_limits(plan, contract)) return plan;
  }
  return plan_for_row(problem, 0);
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  const Shape& s = problem.shape;
  if (s.outputs() == 0 || s.L < 2 || s.S < 2) return "it has no two rows and two keys";
  if (s.L == s.S) return "L = S: both axes have the same length";
  return outside_limits(plan(problem, contract), contract);
}

Verdict judge(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  const PlaceMap from = [&plan](const PlaceIndex& at) {
    return PlaceIndex{at.b, at.h, plan.map[0], at.c};
  };
  relate(ledger, exhibits[0].contract->promises.row, exhibits[0], exhibits[1], from);
  return ledger.verdict();
}

void prepare(Problem& problem, std::uint64_t) {
  const Shape& s = problem.shape;
  if (s.L == s.S && s.L > 2) problem = slice_rows(problem, 1, s.L - 1);
}

}  // namespace

constinit const Property softmax_axis{name,
                                      "Weights sum to 1 over the keys, not over the queries: a row "
                                      "alone equals the row in its batch.",
                                      applies,
                                      plan,
                                      judge,
                                      every_impostor,
                                      prepare,
                                      "wrong_axis"};

}  // namespace qkvet
