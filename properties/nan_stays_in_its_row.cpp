// nan-stays-in-its-row: a NaN reaches the rows and columns that use it and no others. Here for
// cases (a) and (d) of relations.md rule 1: bits where rows and columns are promised, and single
// NaNs put in on purpose.
#include <limits>
#include <qkvet/check/judge_own.hpp>
#include <qkvet/check/meet.hpp>

#include "properties/list.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "nan-stays-in-its-row";
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Where the NaNs are put: (b, h, i) in q, and (b, g, j, d) in k and v.
struct Spots {
  std::int64_t b, h, i, g, j, d;
};

Spots spots_of(const std::vector<std::int64_t>& m) { return {m[0], m[1], m[2], m[3], m[4], m[5]}; }

Plan plan(const Problem& problem, const Contract&) {
  Choices choices = choices_of(name);
  const Shape& s = problem.shape;
  const auto pick = [&choices](std::int64_t n) { return choices.between(0, n - 1); };
  Plan plan{{{problem, ""}}, {}};
  // Not the last row: what follows a NaN is where it leaks to.
  plan.map = {pick(s.B),    pick(s.H_q), s.L > 1 ? pick(s.L - 1) : 0,
              pick(s.H_kv), pick(s.S),   pick(s.d_v)};
  const Spots at = spots_of(plan.map);
  plan.runs.push_back({problem, "NaN in q"});
  plan.runs[1].problem.q.set(at.b, at.h, at.i, 0, nan);
  plan.runs[1].problem.layouts.q = {};
  plan.runs.push_back({problem, "NaN in v"});
  plan.runs[2].problem.v.set(at.b, at.g, at.j, at.d, nan);
  plan.runs[2].problem.layouts.v = {};
  if (s.B * s.H_kv > 1) {
    plan.runs.push_back({problem, "NaN in k"});
    plan.runs[3].problem.k.set(at.b, at.g, at.j, 0, nan);
    plan.runs[3].problem.layouts.k = {};
  }
  return plan;
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  const Shape& s = problem.shape;
  if (s.outputs() == 0 || s.S == 0 || s.d_k == 0) return "it has no place for a NaN";
  if (s.rows() == 1 && s.d_v == 1) return "it has no place beside the NaN";
  return outside_limits(plan(problem, contract), contract);
}

Verdict judge(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  const Spots nan_at = spots_of(plan.map);
  const Shape& s = exhibits[0].run->problem.shape;
  const Promises& promises = exhibits[0].contract->promises;
  const auto related = [&](const Exhibit& exhibit, bool promised, const auto& touched) {
    relate(ledger, promised, exhibits[0], exhibit,
           [&](const PlaceIndex& at) -> std::optional<PlaceIndex> {
             if (touched(at)) return std::nullopt;
             return at;
           });
  };
  const auto in_group = [&](const PlaceIndex& at) {
    return at.b == nan_at.b && s.kv_head(at.h) == nan_at.g;
  };
  related(exhibits[1], promises.row, [&](const PlaceIndex& at) {
    return at.b == nan_at.b && at.h == nan_at.h && at.i == nan_at.i;
  });
  related(exhibits[2], promises.columns,
          [&](const PlaceIndex& at) { return in_group(at) && at.c == nan_at.d; });
  if (exhibits.size() > 3) related(exhibits[3], promises.batch, in_group);
  return ledger.verdict();
}

}  // namespace

constinit const Property nan_stays_in_its_row{
    name,    "A NaN in q, k or v reaches only the rows and columns that use it.",
    applies, plan,
    judge,   every_impostor,
    nullptr, "nan_leaks_to_next_row"};

}  // namespace qkvet
