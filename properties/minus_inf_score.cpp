// minus-inf-score: a visible score that is -inf by data is a hidden key, if another is finite. Here
// for cases (b) and (d) of relations.md rule 1: the contract leaves such rows open unless it promises
// `minus_inf`, and no such scores are drawn.
#include <cmath>
#include <limits>
#include <qkvet/oracle/outward.hpp>

#include "properties/family.hpp"
#include "properties/images.hpp"
#include "properties/list.hpp"
#include "properties/rewrites.hpp"
#include "properties/shifts.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "minus-inf-score";

/// Keys map[0], map[0] + 3, ...: hidden by the mask in the first run, of score -inf through the last
/// channel in the second.
Plan plan(const Problem& problem, const Contract&) {
  const Shape& s = problem.shape;
  Choices choices = choices_of(name);
  const std::int64_t first = choices.between(0, std::min<std::int64_t>(2, s.S - 1));
  const auto lowered = [first](std::int64_t j) { return j % 3 == first; };
  const Problem base = channel(problem, std::copysign(1, scale_value(problem)), 0);
  Problem hidden = base;
  and_mask(hidden, {.i = false}, [&](auto, auto, auto, auto j) { return !lowered(j); });
  Problem low = base;
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t g = 0; g < s.H_kv; ++g)
      for (std::int64_t j = first; j < s.S; j += 3) {
        low.k.set(b, g, j, s.d_k - 1, -std::numeric_limits<double>::infinity());
      }
  return {{{std::move(hidden), "keys hidden"}, {std::move(low), "their scores -inf"}}, {first}};
}

std::optional<std::string> when(const Problem& p, const Contract&) {
  if (const auto why = no_small_weights(p)) return why;
  if (p.shape.d_k < 1) return "it has no channel";
  if (p.shape.S < 2) return "it has no two keys";
  if (p.softcap > 0) return "a softcap makes -inf finite";
  if (!(std::fabs(scale_value(p)) > 0)) return "the scale hides q and k";
  if (!has_finite_inputs(p)) return "an input is not finite";
  return std::nullopt;
}

/// A key of weight 0 adds no rounding to sums, and no other score changes: what the contract admits
/// for the hidden keys it admits here, where it promises that they weigh nothing. And so neither
/// output is further than its radius from the one exact value of both.
void judge_lowered(Ledger& ledger, std::span<const Exhibit> exhibits) {
  const Problem& hidden = exhibits[0].run->problem;
  const Contract& contract = *exhibits[0].contract;
  for_places(hidden.shape, true, [&](const PlaceIndex& at) {
    if (count_seen(hidden, contract, at.b, at.h, at.i) == 0) return;
    const Spot from{&exhibits[0], at};
    const Spot to{&exhibits[1], at};
    if (!from.present() || !to.present()) return;
    const auto x = seen(from);
    if (!x) return;
    Place allowed = from.place();
    if (allowed.contains(to.got())) {
      allowed.exact = x->near;
      allowed.allowed = {outward::down(x->near.lo - allowed.radius),
                         outward::up(x->near.hi + allowed.radius)};
    }
    if (allowed.allowed.lo <= to.got() && to.got() <= allowed.allowed.hi) return;
    ledger.reject(to, allowed, to.got(), to.bits(), [] {
      return std::string("minus_inf is promised: as if keys of score -inf were hidden");
    });
  });
}

Verdict judge(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  if (exhibits[0].contract->promises.minus_inf) judge_lowered(ledger, exhibits);
  return ledger.verdict();
}

}  // namespace

constinit const Property minus_inf_score{
    name,
    "A visible score of -inf is a hidden key, if another is finite.",
    applies_when<when, plan>,
    plan,
    judge,
    every_impostor,
    nullptr,
    "infinite_scores_cleared"};

}  // namespace qkvet
