// constant-values, value-columns-independent, lse-ignores-values: what a column of V may reach.
// Here for cases (a), (d) and (e) of relations.md rule 1: bits where columns are promised, values
// that are not drawn, and outputs that are known without an oracle.
#include <cmath>

#include "properties/family.hpp"
#include "properties/list.hpp"
#include "properties/rewrites.hpp"

namespace qkvet {
namespace {

constexpr std::string_view constant_name = "constant-values";
constexpr std::string_view columns_name = "value-columns-independent";
constexpr std::string_view lse_name = "lse-ignores-values";

// --- one constant per column, head and entry

/// Distinct for near columns, heads and entries, exact in every format.
double constant_of(std::int64_t b, std::int64_t g, std::int64_t d) {
  const std::int64_t n = (11 * b + 5 * g + 3 * d) % 64;
  return (d % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(64 + n) / 64;
}

Plan plan_constant(const Problem& problem, const Contract&) {
  Plan plan{{{problem, ""}, {problem, "V constant along the keys"}}, {}};
  set_values(plan.runs[1].problem,
             [](auto b, auto g, auto, auto d) { return constant_of(b, g, d); });
  return plan;
}

std::optional<std::string> when_weights(const Problem& p, const Contract&) { return no_weights(p); }

Verdict judge_constants(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(constant_name);
  own_everywhere(ledger, exhibits);
  const Exhibit& constant = exhibits[1];
  const Problem& p = constant.run->problem;
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    const std::int64_t n = count_seen(p, *constant.contract, b, h, i);
    if (n == 0 || has_sink(p, h)) return;  // a sink takes its share: judged own
    const double scores = score_size(p, b, h, i);
    for (std::int64_t d = 0; d < p.shape.d_v; ++d) {
      const double c = constant_of(b, p.shape.kv_head(h), d);
      judge_constant(ledger, {&constant, {b, h, i, d}}, {c, c}, n, std::fabs(c), scores,
                     "all values of the column are this one");
    }
  });
  return ledger.verdict();
}

// --- other columns

std::int64_t kept_column(const Problem& p) {
  Choices choices = choices_of(columns_name);
  return choices.between(0, p.shape.d_v - 1);
}

/// map: the column that stays. The last run has the columns up to it and no others.
Plan plan_columns(const Problem& problem, const Contract& contract) {
  const std::int64_t kept = kept_column(problem);
  Plan plan{{{problem, ""}, {problem, "garbage in other columns"}}, {kept}};
  Choices choices = choices_of("garbage");
  const double room = info(problem.format).max / 64;
  set_values(plan.runs[1].problem, [&](auto b, auto g, auto j, auto d) {
    const double x = problem.v.value(b, g, j, d);
    const double other = static_cast<double>(choices.between(-512, 511)) / 64;
    return d == kept || !(std::fabs(x) <= room) ? x : -50 * x + other;
  });
  if (kept + 1 == problem.shape.d_v) return plan;
  Problem fewer = problem;
  take(fewer.v, 3, indices(0, kept + 1));
  fewer.shape.d_v = kept + 1;
  fewer.layouts.v = fewer.layouts.o = {};
  if (!outside(contract.limits, fewer)) plan.runs.push_back({std::move(fewer), "fewer columns"});
  return plan;
}

std::optional<std::string> when_columns(const Problem& p, const Contract&) {
  if (p.shape.d_v < 2) return "it has no two value columns";
  return no_weights(p);
}

Verdict judge_columns(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(columns_name);
  own_everywhere(ledger, exhibits);
  const Promises& promises = exhibits[0].contract->promises;
  const auto only = [](bool (*wanted)(const PlaceIndex&, std::int64_t), std::int64_t kept) {
    return [wanted, kept](const PlaceIndex& at) -> std::optional<PlaceIndex> {
      if (!wanted(at, kept)) return std::nullopt;
      return at;
    };
  };
  const auto lse = [](const PlaceIndex& at, std::int64_t) { return at.c < 0; };
  const auto same = [](const PlaceIndex& at, std::int64_t kept) { return at.c == kept; };
  const auto any = [](const PlaceIndex& at, std::int64_t) { return at.c >= 0; };
  for (std::size_t run = 1; run < exhibits.size(); ++run) {
    relate(ledger, promises.columns, exhibits[0], exhibits[run],
           run == 1 ? only(same, plan.map[0]) : only(any, plan.map[0]));
    relate(ledger, promises.weights_from_scores, exhibits[0], exhibits[run],
           only(lse, plan.map[0]));
  }
  return ledger.verdict();
}

// --- the LSE

std::optional<std::string> when_lse(const Problem& p, const Contract&) {
  if (!p.want_lse) return "no LSE is asked for";
  return no_weights(p);
}

Plan plan_lse(const Problem& problem, const Contract&) {
  Plan plan{{{problem, ""}, {problem, "another V"}}, {}};
  Choices choices = choices_of(lse_name);
  set_values(plan.runs[1].problem, [&](auto, auto, auto, auto) {
    return static_cast<double>(choices.between(-2048, 2047)) / 16;
  });
  return plan;
}

Verdict judge_lse(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(lse_name);
  own_everywhere(ledger, exhibits);
  const bool bits = exhibits[0].contract->promises.weights_from_scores;
  relate(ledger, bits, exhibits[0], exhibits[1],
         [](const PlaceIndex& at) -> std::optional<PlaceIndex> {
           if (at.c >= 0) return std::nullopt;
           return at;
         });
  return ledger.verdict();
}

void prepare_lse(Problem& p, std::uint64_t) { p.want_lse = true; }

}  // namespace

constinit const Property constant_values{
    constant_name,
    "Values that are equal for all keys are the output, whatever the weights.",
    applies_when<when_weights, plan_constant>,
    plan_constant,
    judge_constants,
    every_impostor,
    nullptr,
    "sum_not_rescaled"};

constinit const Property value_columns_independent{
    columns_name,
    "An output column depends on its own column of V only.",
    applies_when<when_columns, plan_columns>,
    plan_columns,
    judge_columns,
    every_impostor,
    nullptr,
    "values_rounded_per_key"};

constinit const Property lse_ignores_values{lse_name,
                                            "The LSE does not depend on V.",
                                            applies_when<when_lse, plan_lse>,
                                            plan_lse,
                                            judge_lse,
                                            every_impostor,
                                            prepare_lse,
                                            "lse_of_wide_values"};

}  // namespace qkvet
