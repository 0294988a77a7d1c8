// masked-inputs-dead: what a mask hides does not matter. Here for cases (a), (b) and (d) of
// relations.md rule 1: bits where selection is promised, places that are exempt, and garbage that
// is not drawn.
#include <limits>
#include <qkvet/check/judge_own.hpp>
#include <qkvet/check/meet.hpp>

#include "properties/list.hpp"
#include "properties/marks.hpp"
#include "properties/prepare.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "masked-inputs-dead";

Plan plan(const Problem& problem, const Contract& contract) {
  Choices choices = choices_of(name);
  const Marks marks = marked_keys(problem, contract);
  Plan plan{{{problem, ""}}, {}};
  plan.runs.push_back(
      {with_marked(problem, marks, [&](double x) { return garbage(problem.format, x, choices); }),
       "garbage in hidden keys"});
  if (contract.promises.selection && contract.limits.nonfinite != Allow::never) {
    const auto poison = [&choices](double) {
      return choices.chance(1, 2) ? std::numeric_limits<double>::quiet_NaN()
                                  : std::numeric_limits<double>::infinity();
    };
    plan.runs.push_back({with_marked(problem, marks, poison), "NaN and infinity in hidden keys"});
  }
  return plan;
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  if (const auto why = hides_nothing(problem, contract)) return why;
  return outside_limits(plan(problem, contract), contract);
}

Verdict judge(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  const Problem& p = exhibits[0].run->problem;
  const Contract& contract = *exhibits[0].contract;
  const std::vector<char> unaffected = unaffected_rows(p, contract, marked_keys(p, contract));
  const PlaceMap same = [&](const PlaceIndex& at) -> std::optional<PlaceIndex> {
    if (unaffected[static_cast<std::size_t>(p.shape.row(at.b, at.h, at.i))] != 0) return at;
    return std::nullopt;
  };
  for (const Exhibit& changed : exhibits.subspan(1)) {
    relate(ledger, contract.promises.selection, exhibits[0], changed, same);
  }
  return ledger.verdict();
}

}  // namespace

constinit const Property masked_inputs_dead{
    name,
    "Keys and values that the mask hides from a row do not change it, whatever they hold.",
    applies,
    plan,
    judge,
    every_impostor,
    hide_something,
    "maximum_before_masking"};

}  // namespace qkvet
