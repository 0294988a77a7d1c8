// split-merge, duplicate-keys, leave-one-out, lse-weights: what outputs and log-sum-exps of parts
// say of the whole. Here for cases (c), (d) and (e) of relations.md rule 1: the convention of the
// LSE is pinned, and the outputs of one run follow from those of others.
#include <algorithm>

#include "properties/family.hpp"
#include "properties/images.hpp"
#include "properties/list.hpp"
#include "properties/rewrites.hpp"
#include "properties/weights_math.hpp"

namespace qkvet {
namespace {

constexpr std::string_view split_name = "split-merge";
constexpr std::string_view twice_name = "duplicate-keys";
constexpr std::string_view leave_name = "leave-one-out";
constexpr std::string_view weights_name = "lse-weights";

/// Why the LSE cannot be used in formulas, if so.
std::optional<std::string> no_usable_lse(const Problem& p, const Contract& contract) {
  if (contract.semantics.lse_base == Semantics::LseBase::exempt) {
    return "the contract does not say which base the LSE has";
  }
  if (p.sinks && contract.semantics.lse_sink != Semantics::LseSink::included) {
    return "it has sinks that the LSE need not include";
  }
  return no_weights(p);
}

Problem with_lse(const Problem& problem) {
  Problem p = problem;
  p.want_lse = true;
  return p;
}

void prepare_lse(Problem& p, std::uint64_t) { p.want_lse = true; }

// --- two parts merged

/// map: the number of keys of the first part, which carries the sink.
Plan plan_split(const Problem& problem, const Contract&) {
  const Shape& s = problem.shape;
  const std::int64_t cuts[] = {s.S / 2, 1, s.S - 1, 16, 64, 128};
  std::int64_t cut = cuts[(s.L + s.d_v + s.d_k) % 6];
  if (cut >= s.S || cut < 1) cut = s.S / 2;
  const Problem base = with_lse(with_explicit_keys(problem));
  Problem rest = cut_keys(base, cut, s.S - cut);
  rest.sinks.reset();
  return {{{base, ""},
           {cut_keys(base, 0, cut), "the keys before the cut"},
           {std::move(rest), "the keys from the cut on"}},
          {cut}};
}

std::optional<std::string> when_split(const Problem& p, const Contract& contract) {
  if (p.shape.S < 2) return "it has no two keys";
  return no_usable_lse(p, contract);
}

void judge_merged(Ledger& ledger, std::span<const Exhibit> parts, const PlaceIndex& row) {
  const PlaceIndex lse{row.b, row.h, row.i, -1};
  const auto l1 = natural_lse({&parts[1], lse});
  const auto l2 = natural_lse({&parts[2], lse});
  if (!l1 || !l2) return;
  const Contract& contract = *parts[0].contract;
  for (std::int64_t c = 0; c < parts[0].run->problem.shape.d_v; ++c) {
    const PlaceIndex at{row.b, row.h, row.i, c};
    const auto o1 = seen({&parts[1], at});
    const auto o2 = seen({&parts[2], at});
    if (!o1 || !o2) continue;
    const auto merged = [](const Interval& a, const Interval& b, const Interval& x,
                           const Interval& y) {
      const Interval share = share_beside(outward::sub(y, x));
      return outward::add(b, outward::mul(outward::sub(a, b), share));
    };
    meet_image(ledger, {&parts[0], at}, image(merged, *o1, *o2, *l1, *l2),
               "the outputs of both parts, weighed by their LSEs");
  }
  const Spot whole{&parts[0], lse};
  if (!whole.present()) return;
  meet_image(ledger, whole, as_lse(image(log_add_exp, *l1, *l2), contract),
             "the LSEs of both parts added");
}

Verdict judge_split(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(split_name);
  own_everywhere(ledger, exhibits);
  const Contract& contract = *exhibits[0].contract;
  const auto seen_in = [&](std::size_t run, const PlaceIndex& at) {
    return count_seen(exhibits[run].run->problem, contract, at.b, at.h, at.i);
  };
  for_rows(exhibits[0].run->problem.shape, [&](auto b, auto h, auto i) {
    const PlaceIndex row{b, h, i, 0};
    if (seen_in(1, row) > 0 && seen_in(2, row) > 0) judge_merged(ledger, exhibits, row);
  });
  // Where one part is empty the other is the whole.
  for (const std::size_t part : {std::size_t{1}, std::size_t{2}}) {
    relate(ledger, false, exhibits[part], exhibits[0],
           [&](const PlaceIndex& at) -> std::optional<PlaceIndex> {
             const bool sink = part == 2 && has_sink(exhibits[0].run->problem, at.h);
             if (sink || seen_in(3 - part, at) > 0 || seen_in(part, at) == 0) return std::nullopt;
             return at;
           });
  }
  return ledger.verdict();
}

// --- every key twice

std::optional<std::string> when_weights(const Problem& p, const Contract&) { return no_weights(p); }

/// Without sinks, whose logit would have to move by ln 2.
Plan plan_twice(const Problem& problem, const Contract&) {
  Problem base = with_explicit_keys(problem);
  base.sinks.reset();
  Indices keys = indices(0, problem.shape.S);
  const Indices again = keys;
  keys.insert(keys.end(), again.begin(), again.end());
  Problem twice = permute_keys(base, keys);
  twice.shape.S = 2 * problem.shape.S;
  return {{{base, ""}, {std::move(twice), "every key twice"}}, {}};
}

Verdict judge_twice(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(twice_name);
  own_everywhere(ledger, exhibits);
  // ln 2 lies between these neighbours; a bit is exactly 1.
  const bool bits = exhibits[0].contract->semantics.lse_base == Semantics::LseBase::two;
  const Interval shift =
      bits ? Interval{1, 1} : Interval{0x1.62e42fefa39efp-1, 0x1.62e42fefa39f0p-1};
  relate(
      ledger, false, exhibits[0], exhibits[1], [](const PlaceIndex& at) { return at; }, shift);
  return ledger.verdict();
}

// --- one key hidden

/// Weights above this leave too little to divide by.
constexpr double most_weight = 0.9;

/// The last column of V shows the weight of key map[0], which the second run hides.
Plan plan_leave(const Problem& problem, const Contract&) {
  const Shape& s = problem.shape;
  Choices choices = choices_of(leave_name);
  const std::int64_t key = choices.between(0, s.S - 1);
  Plan plan{{{problem, ""}}, {key}};
  set_values(plan.runs[0].problem, [&](auto b, auto g, auto j, auto d) {
    if (d + 1 < s.d_v) return problem.v.value(b, g, j, d);
    return j == key ? 1.0 : 0.0;
  });
  Problem without = plan.runs[0].problem;
  and_mask(without, {.i = false}, [key](auto, auto, auto, auto j) { return j != key; });
  plan.runs.push_back({std::move(without), "one key hidden"});
  return plan;
}

std::optional<std::string> when_leave(const Problem& p, const Contract&) {
  if (p.shape.d_v < 2) return "no column can show a weight";
  if (p.shape.S < 2) return "it has no two keys";
  if (!has_finite_values(p.v)) return "a value is not finite";
  return no_weights(p);
}

Verdict judge_leave(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(leave_name);
  own_everywhere(ledger, exhibits);
  const Problem& p = exhibits[0].run->problem;
  const Contract& contract = *exhibits[0].contract;
  const std::int64_t key = plan.map[0];
  relate(ledger, false, exhibits[0], exhibits[1],
         [&](const PlaceIndex& at) -> std::optional<PlaceIndex> {
           if (sees(p, contract, at.b, at.h, at.i, key)) return std::nullopt;
           return at;
         });
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    if (!sees(p, contract, b, h, i, key)) return;
    if (count_seen(p, contract, b, h, i) < 2) return;  // the second run's row is empty
    auto w = seen({&exhibits[0], {b, h, i, p.shape.d_v - 1}});
    if (!w) return;
    *w = image(within_one, *w);
    if (!(w->near.lo <= w->near.hi && w->near.hi <= most_weight && w->truth.hi <= most_weight)) {
      return;
    }
    for (std::int64_t c = 0; c + 1 < p.shape.d_v; ++c) {
      const PlaceIndex at{b, h, i, c};
      const auto o = seen({&exhibits[0], at});
      if (!o) continue;
      const double v = p.v.value(b, p.shape.kv_head(h), key, c);
      const auto rest = [v](const Interval& all, const Interval& weight) {
        const Interval part = outward::sub(all, outward::mul(weight, {v, v}));
        return outward::div(part, outward::sub({1, 1}, weight));
      };
      meet_image(ledger, {&exhibits[1], at}, image(rest, *o, *w),
                 "what is left of the output without the hidden key");
    }
  });
  return ledger.verdict();
}

// --- weights from the LSE

/// V shows the weight of key map[0]; the second run sees only that key, without a sink.
Plan plan_weights(const Problem& problem, const Contract&) {
  Choices choices = choices_of(weights_name);
  const std::int64_t key = choices.between(0, problem.shape.S - 1);
  Plan plan{{{with_lse(problem), ""}}, {key}};
  set_values(plan.runs[0].problem,
             [key](auto, auto, auto j, auto) { return j == key ? 1.0 : 0.0; });
  Problem alone = plan.runs[0].problem;
  alone.sinks.reset();
  and_mask(alone, {.i = false}, [key](auto, auto, auto, auto j) { return j == key; });
  plan.runs.push_back({std::move(alone), "one key alone"});
  return plan;
}

Verdict judge_weights(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(weights_name);
  own_everywhere(ledger, exhibits);
  const Problem& p = exhibits[0].run->problem;
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    if (!sees(p, *exhibits[0].contract, b, h, i, plan.map[0])) return;
    const auto all = natural_lse({&exhibits[0], {b, h, i, -1}});
    const auto score = natural_lse({&exhibits[1], {b, h, i, -1}});
    if (!all || !score) return;
    const auto weight = [](const Interval& x, const Interval& y) {
      return exp_any(outward::sub(x, y));
    };
    for (std::int64_t c = 0; c < p.shape.d_v; ++c) {
      meet_image(ledger, {&exhibits[0], {b, h, i, c}}, image(weight, *score, *all),
                 "the weight is e to the score less the LSE");
    }
  });
  return ledger.verdict();
}

}  // namespace

constinit const Property split_merge{split_name,
                                     "Two parts of the keys, merged by their LSEs, give the whole.",
                                     applies_when<when_split, plan_split>,
                                     plan_split,
                                     judge_split,
                                     every_impostor,
                                     prepare_lse,
                                     "lse_from_first_tile"};

constinit const Property duplicate_keys{twice_name,
                                        "Every key twice leaves O and adds ln 2 to the LSE.",
                                        applies_when<when_weights, plan_twice>,
                                        plan_twice,
                                        judge_twice,
                                        every_impostor,
                                        nullptr,
                                        "equal_scores_of_a_tile_once"};

constinit const Property leave_one_out{
    leave_name,
    "With one key hidden the output is what is left of it, divided by the weight that is left.",
    applies_when<when_leave, plan_leave>,
    plan_leave,
    judge_leave,
    every_impostor,
    nullptr,
    "hidden_weights_summed"};

constinit const Property lse_weights{weights_name,
                                     "A weight is e to the power of its score less the LSE.",
                                     applies_when<no_usable_lse, plan_weights>,
                                     plan_weights,
                                     judge_weights,
                                     every_impostor,
                                     prepare_lse,
                                     "lse_in_f16"};

}  // namespace qkvet
