// rows-sum-to-one: the weights of a row sum to 1, and each weight is the right one. Here for case
// (d) of relations.md rule 1 (V = 1 and V = I are inputs that are not drawn) and (e): 1 is known
// without an oracle, and where scores cancel so is its radius.
#include <algorithm>
#include <qkvet/check/judge_own.hpp>

#include "properties/list.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "rows-sum-to-one";
constexpr std::string_view ones = "V = 1";
constexpr std::int64_t block_work = 200'000;  // identity blocks of larger problems only cost time

/// Column d shows the weight of key start + d.
Problem identity_block(const Problem& problem, std::int64_t start) {
  Problem p = problem;
  set_values(p, [start](auto, auto, auto j, auto d) { return j == start + d ? 1.0 : 0.0; });
  return p;
}

/// The blocks that hold the first, a middle and the last key.
std::vector<std::int64_t> block_starts(const Shape& s) {
  const std::int64_t last = std::max<std::int64_t>(s.S - s.d_v, 0);
  if (last == 0) return {0};
  return last == 1 ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{0, last / 2, last};
}

Plan plan(const Problem& problem, const Contract&) {
  Plan plan{{{problem, ""}}, {}};
  plan.runs.push_back({problem, std::string(ones)});
  set_values(plan.runs[1].problem, [](auto, auto, auto, auto) { return 1.0; });
  if (problem.shape.work() > block_work) return plan;
  for (const std::int64_t start : block_starts(problem.shape)) {
    plan.runs.push_back(
        {identity_block(problem, start), "V = I from key " + std::to_string(start)});
  }
  return plan;
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  if (problem.shape.outputs() == 0 || problem.shape.S == 0) return "it has no weights";
  return outside_limits(plan(problem, contract), contract);
}

void judge_sums(Ledger& ledger, const Exhibit& exhibit) {
  const Problem& p = exhibit.run->problem;
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    const std::int64_t n = count_seen(p, *exhibit.contract, b, h, i);
    if (n == 0 || has_sink(p, h)) return;  // a sink takes its share: judged own
    const double scores = score_size(p, b, h, i);
    for (std::int64_t c = 0; c < p.shape.d_v; ++c) {
      const Spot spot{&exhibit, {b, h, i, c}};
      judge_constant(ledger, spot, {1, 1}, n, 1, scores,
                     "with V = 1 the output is the sum of the weights");
    }
  });
}

Verdict judge(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  judge_sums(ledger, exhibits[1]);
  return ledger.verdict();
}

}  // namespace

constinit const Property rows_sum_to_one{
    name,
    "The weights of a row sum to 1 (to 1 minus the sink's share), each within its own bound.",
    applies,
    plan,
    judge,
    every_impostor,
    nullptr,
    "no_division"};

}  // namespace qkvet
