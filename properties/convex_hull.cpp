// convex-hull: an output lies among the values that its row sees. Here for cases (b), (d) and (e)
// of relations.md rule 1: it decides places whose bound is as wide as V (scores are not in its
// radius), on values that are not drawn, and it needs no oracle.
#include <algorithm>
#include <cmath>
#include <limits>
#include <qkvet/check/judge_own.hpp>

#include "properties/list.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "convex-hull";

bool seen_by_any(const Problem& p, const Contract& contract, std::int64_t b, std::int64_t g,
                 std::int64_t j) {
  const std::int64_t group = p.shape.H_q / p.shape.H_kv;
  for (std::int64_t h = g * group; h < (g + 1) * group; ++h) {
    for (std::int64_t i = 0; i < p.shape.L; ++i) {
      if (sees(p, contract, b, h, i, j)) return true;
    }
  }
  return false;
}

/// Values in [1, 1.125], so that 0 is outside, and far ones where no row looks.
Plan plan(const Problem& problem, const Contract& contract) {
  Plan plan{{{problem, ""}, {problem, "V in [1, 1.125], hidden ones far away"}}, {}};
  Choices choices = choices_of(name);
  set_values(plan.runs[1].problem, [&](auto b, auto g, auto j, auto) {
    const double near = 1 + static_cast<double>(choices.between(0, 8)) / 64;
    return seen_by_any(problem, contract, b, g, j) ? near : -1000.0;
  });
  return plan;
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  if (problem.shape.outputs() == 0 || problem.shape.S == 0) return "it has no weights";
  return outside_limits(plan(problem, contract), contract);
}

/// The hull of the values that the row sees, with 0 if it has a sink. Empty (lo > hi) if one is not
/// finite.
Interval hull(const Problem& p, const Contract& contract, const PlaceIndex& at) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Interval range{infinity, -infinity};
  if (has_sink(p, at.h)) range = {0, 0};
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    if (!sees(p, contract, at.b, at.h, at.i, j)) continue;
    const double v = p.v.value(at.b, p.shape.kv_head(at.h), j, at.c);
    if (!std::isfinite(v)) return {infinity, -infinity};
    range = {std::min(range.lo, v), std::max(range.hi, v)};
  }
  return range;
}

Verdict judge(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  for (const Exhibit& exhibit : exhibits) judge_hull(ledger, exhibit);
  return ledger.verdict();
}

}  // namespace

void judge_hull(Ledger& ledger, const Exhibit& exhibit) {
  const Problem& p = exhibit.run->problem;
  const Contract& contract = *exhibit.contract;
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    const std::int64_t n = count_seen(p, contract, b, h, i);
    if (n == 0) return;
    const double scores = score_size(p, b, h, i);
    for (std::int64_t c = 0; c < p.shape.d_v; ++c) {
      const Spot spot{&exhibit, {b, h, i, c}};
      const Interval range = hull(p, contract, spot.at);
      if (!(range.lo <= range.hi)) continue;
      judge_constant(ledger, spot, range, n + (has_sink(p, h) ? 1 : 0), range.magnitude(), scores,
                     "the values that the row sees lie there");
    }
  });
}

constinit const Property convex_hull{
    name,    "Each output lies between the smallest and the largest value that its row sees.",
    applies, plan,
    judge,   every_impostor,
    nullptr, "sum_to_power_of_two"};

}  // namespace qkvet
