// visible-nan-due: where the contract says so, a NaN that a row sees is not swallowed. Here for
// case (d) of relations.md rule 1: the NaN lies where it weighs most, once in each input tensor, so
// that something is due in every case.
#include <limits>
#include <qkvet/check/judge_own.hpp>

#include "properties/list.hpp"
#include "properties/specials.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "visible-nan-due";

Plan plan(const Problem& problem, const Contract& contract) {
  Choices choices = choices_of(name);
  Plan plan;
  for (const Special& place : special_places(problem, contract, choices)) {
    plan.runs.push_back({with_special(problem, place, std::numeric_limits<double>::quiet_NaN()),
                         "NaN in " + std::string(word(place.in))});
  }
  return plan;
}

bool some_row_sees(const Problem& problem, const Contract& contract) {
  bool seen = false;
  // The last row gets no NaN, where there are several.
  for_rows(problem.shape, [&](auto b, auto h, auto i) {
    const bool may_hold = i + 1 < problem.shape.L || problem.shape.L == 1;
    seen = seen || (may_hold && count_seen(problem, contract, b, h, i) > 0);
  });
  return seen;
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  if (contract.semantics.visible_nan == Semantics::VisibleNan::exempt) {
    return "the contract leaves it open what a visible NaN gives (visible_nan = exempt)";
  }
  const Shape& s = problem.shape;
  if (s.outputs() == 0 || s.S == 0 || s.d_k == 0) return "it has no place for a NaN";
  if (!some_row_sees(problem, contract)) return "no row sees a key";
  return outside_limits(plan(problem, contract), contract);
}

Verdict judge(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  return ledger.verdict();
}

}  // namespace

constinit const Property visible_nan_due{
    name,
    "Where the contract says so, a NaN in q, a visible k, v or bias makes the outputs that use it "
    "NaN.",
    applies,
    plan,
    judge,
    every_impostor,
    nullptr,
    "nan_score_hidden"};

}  // namespace qkvet
