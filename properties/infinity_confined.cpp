// infinity-confined: an infinity reaches the outputs that depend on it and no others. Here for
// cases (a) and (d) of relations.md rule 1: bits where rows, columns, batch or selection are
// promised, and single infinities put in on purpose. Unlike a NaN an infinity wins comparisons: it
// passes through a maximum that rows, columns or keys should not share.
#include <limits>
#include <qkvet/check/judge_own.hpp>

#include "properties/list.hpp"
#include "properties/specials.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "infinity-confined";

/// An infinity and its place; one run each, only where some output cannot depend on it.
struct Infinity {
  Special place;
  double value;
};

std::vector<Infinity> places(const Problem& problem, const Contract& contract) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  // The sign varies with the shape: a plan is a function of its problem.
  Choices choices = Choices::from_seed(choices_of(name).bits() ^
                                       static_cast<std::uint64_t>(problem.shape.work()));
  std::vector<Infinity> kept;
  for (const Special& place : special_places(problem, contract, choices)) {
    // A bias of -inf is a mask, not a special value.
    const bool positive = choices.chance(1, 2) || place.in == Special::In::bias;
    if (spares_some(problem, contract, place)) {
      kept.push_back({place, positive ? infinity : -infinity});
    }
  }
  return kept;
}

Plan plan(const Problem& problem, const Contract& contract) {
  Plan plan{{{problem, ""}}, {}};
  for (const Infinity& infinity : places(problem, contract)) {
    plan.runs.push_back(
        {with_special(problem, infinity.place, infinity.value),
         (infinity.value > 0 ? "+inf in " : "-inf in ") + std::string(word(infinity.place.in))});
  }
  return plan;
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  const Shape& s = problem.shape;
  if (s.outputs() == 0 || s.S == 0 || s.d_k == 0) return "it has no place for an infinity";
  const Plan planned = plan(problem, contract);
  if (planned.runs.size() == 1) return "every output depends on every input";
  return outside_limits(planned, contract);
}

Verdict judge(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  std::size_t run = 1;
  for (const Infinity& infinity : places(exhibits[0].run->problem, *exhibits[0].contract)) {
    relate_spared(ledger, exhibits[0], exhibits[run++], infinity.place);
  }
  return ledger.verdict();
}

}  // namespace

constinit const Property infinity_confined{
    name,    "An infinity in q, k, v or the bias reaches only the outputs that depend on it.",
    applies, plan,
    judge,   every_impostor,
    nullptr, "infinite_maximum_kept"};

}  // namespace qkvet
