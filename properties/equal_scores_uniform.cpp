// equal-scores-uniform: equal scores give equal weights, so O is the mean of the visible values.
// Here for cases (d) and (e) of relations.md rule 1: q = 0 with V on a grid, where the mean is
// known exactly.
#include <cmath>
#include <limits>
#include <qkvet/check/free.hpp>
#include <qkvet/check/judge_own.hpp>

#include "properties/list.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "equal-scores-uniform";
constexpr double grid = 0x1p-6;  // integers below 2^7 times this are exact in every format

Plan plan(const Problem& problem, const Contract&) {
  Plan plan{{{problem, ""}, {problem, "q = 0, V on a grid"}}, {}};
  Problem& p = plan.runs[1].problem;
  p.q = make_tensor(p.format, p.q.extents);
  p.layouts.q = {};
  Choices choices = choices_of(name);
  set_values(p, [&choices](auto, auto, auto, auto) {
    return static_cast<double>(choices.between(-64, 127)) * grid;
  });
  return plan;
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  if (problem.shape.outputs() == 0 || problem.shape.S == 0) return "it has no weights";
  return outside_limits(plan(problem, contract), contract);
}

/// The exact mean of the visible values: the sum of grid numbers is exact, the division rounds
/// once.
Interval mean(const Problem& p, const Contract& contract, const PlaceIndex& at, std::int64_t n) {
  double sum = 0;
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    if (sees(p, contract, at.b, at.h, at.i, j)) {
      sum += p.v.value(at.b, p.shape.kv_head(at.h), j, at.c);
    }
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double quotient = sum / static_cast<double>(n);
  return {std::nextafter(quotient, -infinity), std::nextafter(quotient, infinity)};
}

Verdict judge(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  const Exhibit& uniform = exhibits[1];
  const Problem& p = uniform.run->problem;
  if (p.mask.bias || p.alibi_slopes) return ledger.verdict();  // scores differ: judged own
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    const std::int64_t n = count_seen(p, *uniform.contract, b, h, i);
    if (n == 0 || has_sink(p, h)) return;
    for (std::int64_t c = 0; c < p.shape.d_v; ++c) {
      const Spot spot{&uniform, {b, h, i, c}};
      const Interval exact = mean(p, *uniform.contract, spot.at, n);
      // Known without the oracle; its radius is not: equal keys may still pass through unequal code
      // (a tail), so the errors of their weights do not cancel. `own` has judged the output; the
      // oracle answers here.
      expect_enclosure(spot, exact,
                       "with equal scores the output is the mean of the visible values");
    }
  });
  return ledger.verdict();
}

}  // namespace

constinit const Property equal_scores_uniform{
    name,    "If all scores of a row are equal, its output is the mean of the values that it sees.",
    applies, plan,
    judge,   every_impostor,
    nullptr, "equal_scores_pick_first"};

}  // namespace qkvet
