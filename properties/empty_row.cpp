// empty-row: a row that sees no key gives what the contract names, and disturbs no other row. Here
// for cases (a), (c) and (d) of relations.md rule 1: bits of the rows beside it where rows are
// promised, the contract's own convention, and rows emptied on purpose.
#include <qkvet/check/judge_own.hpp>
#include <qkvet/check/meet.hpp>

#include "properties/list.hpp"
#include "properties/prepare.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "empty-row";

bool empty(const Problem& p, const Contract& contract, std::int64_t b, std::int64_t h,
           std::int64_t i) {
  return count_seen(p, contract, b, h, i) == 0;
}

/// The index of a row that is empty in some entry and head; -1 if there is none.
std::int64_t first_empty(const Problem& p, const Contract& contract) {
  std::int64_t row = -1;
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    if (empty(p, contract, b, h, i) && (row < 0 || i < row)) row = i;
  });
  return row;
}

/// The queries of empty rows replaced: they have nothing to ask.
Problem with_other_queries(const Problem& problem, const Contract& contract) {
  Problem p = problem;
  Choices choices = choices_of(name);
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    if (!empty(problem, contract, b, h, i)) return;
    for (std::int64_t c = 0; c < p.shape.d_k; ++c) {
      p.q.set(b, h, i, c, static_cast<double>(choices.between(-256, 255)) / 64);
    }
  });
  p.layouts.q = {};
  return p;
}

/// map: {from, count} of the rows that the last run keeps: those after the first empty row, or
/// before it.
Plan plan(const Problem& problem, const Contract& contract) {
  Plan plan{{{problem, ""}, {with_other_queries(problem, contract), "other q in empty rows"}},
            {0, 0}};
  const std::int64_t row = first_empty(problem, contract);
  const std::int64_t after = problem.shape.L - row - 1;
  plan.map =
      after >= row ? std::vector<std::int64_t>{row + 1, after} : std::vector<std::int64_t>{0, row};
  if (plan.map[1] > 0) {
    Problem beside = slice_rows(problem, plan.map[0], plan.map[1]);
    if (!outside(contract.limits, beside)) {
      plan.runs.push_back({std::move(beside), "the rows beside it"});
    }
  }
  return plan;
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  if (problem.shape.outputs() == 0) return "it has no outputs";
  if (first_empty(problem, contract) < 0) return "no row is empty";
  return outside_limits(plan(problem, contract), contract);
}

Verdict judge(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  const Problem& p = exhibits[0].run->problem;
  const Contract& contract = *exhibits[0].contract;
  std::vector<char> live(static_cast<std::size_t>(p.shape.rows()), 0);
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    live[static_cast<std::size_t>(p.shape.row(b, h, i))] = !empty(p, contract, b, h, i);
  });
  const PlaceMap same = [&](const PlaceIndex& at) -> std::optional<PlaceIndex> {
    if (live[static_cast<std::size_t>(p.shape.row(at.b, at.h, at.i))] != 0) return at;
    return std::nullopt;
  };
  relate(ledger, contract.promises.row, exhibits[0], exhibits[1], same);
  if (exhibits.size() > 2) {
    const PlaceMap moved = [&plan](const PlaceIndex& at) {
      return PlaceIndex{at.b, at.h, at.i + plan.map[0], at.c};
    };
    relate(ledger, contract.promises.row, exhibits[0], exhibits[2], moved);
  }
  return ledger.verdict();
}

void prepare(Problem& problem, std::uint64_t seed) {
  if (problem.shape.outputs() == 0 || first_empty(problem, Contract{}) >= 0) return;
  empty_a_row(problem, seed);
}

}  // namespace

constinit const Property empty_row{
    name,
    "A row that sees no key gives the contract's O and LSE, and the rows beside it do not notice.",
    applies,
    plan,
    judge,
    every_impostor,
    prepare,
    "no_empty_guard"};

}  // namespace qkvet
