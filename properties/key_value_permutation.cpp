// key-value-permutation: keys, values and their mask columns may come in any order. Here for cases
// (c), (d) and (e) of relations.md rule 1: the rewrite and the order are not drawn, and the oracle
// is asked first.
#include <qkvet/check/judge_own.hpp>
#include <qkvet/check/meet.hpp>

#include "properties/list.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "key-value-permutation";

Plan plan(const Problem& problem, const Contract&) {
  Choices choices = choices_of(name);
  const Problem base = with_explicit_keys(problem);
  const std::vector<std::int64_t> order = permutation(choices, problem.shape.S);
  return {{{base, ""}, {permute_keys(base, order), "keys permuted"}}, order};
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  if (problem.shape.outputs() == 0 || problem.shape.S < 2) return "it has no two keys";
  return outside_limits(plan(problem, contract), contract);
}

Verdict judge(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  // Sums are taken in another order: no promise makes these bits equal.
  relate(ledger, false, exhibits[0], exhibits[1], [](const PlaceIndex& at) { return at; });
  return ledger.verdict();
}

}  // namespace

constinit const Property key_value_permutation{
    name,
    "Reordering keys together with their values and mask columns changes neither O nor LSE.",
    applies,
    plan,
    judge,
    every_impostor,
    nullptr,
    "first_key_twice"};

}  // namespace qkvet
