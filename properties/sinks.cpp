// sink-from-lse, sink-equals-key, bias-tilt: how one logit more, or a raised one, shares out the
// weights. Here for cases (c), (d) and (e) of relations.md rule 1: outputs that follow from other
// runs, and sinks and biases that are not drawn.
#include <algorithm>
#include <limits>

#include "properties/family.hpp"
#include "properties/images.hpp"
#include "properties/list.hpp"
#include "properties/rewrites.hpp"
#include "properties/shifts.hpp"
#include "properties/weights_math.hpp"

namespace qkvet {
namespace {

constexpr std::string_view lse_name = "sink-from-lse";
constexpr std::string_view key_name = "sink-equals-key";
constexpr std::string_view tilt_name = "bias-tilt";

bool any_sink(const Problem& p) {
  for (std::int64_t h = 0; h < p.shape.H_q; ++h) {
    if (has_sink(p, h)) return true;
  }
  return false;
}

/// Sinks between -1 and 3, distinct for near heads.
void give_sinks(Problem& p, std::uint64_t seed) {
  if (any_sink(p)) return;
  Choices choices = Choices::from_seed(seed);
  p.sinks = make_tensor(p.format, {p.shape.H_q, 1, 1, 1});
  for (std::uint64_t& bits : p.sinks->bits) {
    bits = encode(p.format, static_cast<double>(choices.between(-16, 48)) / 16);
  }
}

// --- with and without the sink

Plan plan_lse(const Problem& problem, const Contract&) {
  Problem with = problem;
  with.want_lse = true;
  Problem without = with;
  without.sinks.reset();
  return {{{std::move(with), ""}, {std::move(without), "without sinks"}}, {}};
}

std::optional<std::string> when_lse(const Problem& p, const Contract& contract) {
  if (!any_sink(p)) return "it has no sink";
  if (contract.semantics.lse_base == Semantics::LseBase::exempt) {
    return "the contract does not say which base the LSE has";
  }
  return no_weights(p);
}

void prepare_lse(Problem& p, std::uint64_t seed) {
  p.want_lse = true;
  give_sinks(p, seed);
}

Verdict judge_lse(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(lse_name);
  own_everywhere(ledger, exhibits);
  const Problem& p = exhibits[0].run->problem;
  const Contract& contract = *exhibits[0].contract;
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    if (!has_sink(p, h) || count_seen(p, contract, b, h, i) == 0) return;
    const PlaceIndex row{b, h, i, -1};
    const auto lse = natural_lse({&exhibits[1], row});
    if (!lse) return;
    const double sink = p.sinks->value(h, 0, 0, 0);
    const Interval logit{sink, sink};
    for (std::int64_t c = 0; c < p.shape.d_v; ++c) {
      const auto o = seen({&exhibits[1], {b, h, i, c}});
      if (!o) continue;
      const auto shared = [&logit](const Interval& x, const Interval& l) {
        return outward::mul(x, share_beside(outward::sub(logit, l)));
      };
      meet_image(ledger, {&exhibits[0], {b, h, i, c}}, image(shared, *o, *lse),
                 "the output without a sink, less the share of the sink");
    }
    const Spot spot{&exhibits[0], row};
    if (!spot.present()) return;
    const bool included = contract.semantics.lse_sink == Semantics::LseSink::included;
    const auto sum = [&](const Interval& l) { return included ? log_add_exp(l, logit) : l; };
    meet_image(ledger, spot, as_lse(image(sum, *lse), contract),
               included ? "the LSE without a sink and the sink added" : "the LSE without a sink");
  });
  return ledger.verdict();
}

// --- the sink as a key

/// One key more: k = 0, V = 0, and the sink as its bias.
Problem sink_as_key(const Problem& base) {
  const Shape& s = base.shape;
  constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
  Problem p = base;
  if (p.mask.attend) and_mask(p, {.i = false}, [](auto, auto, auto, auto) { return true; });
  if (!p.mask.bias) p.mask.bias = make_tensor(p.sinks->format, {1, 1, 1, 1});
  expand_bias(p);
  Choices choices = choices_of(key_name);
  p = insert_keys(p, s.S, 1, choices);
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t g = 0; g < s.H_kv; ++g) {
      for (std::int64_t c = 0; c < s.d_k; ++c) p.k.set(b, g, s.S, c, 0);
      for (std::int64_t d = 0; d < s.d_v; ++d) p.v.set(b, g, s.S, d, 0);
    }
  for_rows(s, [&](auto b, auto h, auto i) {
    const double sink = has_sink(base, h) ? base.sinks->value(h, 0, 0, 0) : minus_infinity;
    p.mask.bias->set(b, h, i, s.S, sink);
  });
  if (p.mask.attend) {
    BoolMask& mask = *p.mask.attend;
    const auto width = static_cast<std::size_t>(mask.extents[3]);
    for (std::size_t n = width; n <= mask.attend.size(); n += width) mask.attend[n - 1] = 1;
  }
  p.sinks.reset();
  return p;
}

Plan plan_key(const Problem& problem, const Contract&) {
  const Problem base = with_explicit_keys(problem);
  return {{{base, ""}, {sink_as_key(base), "the sink as a key"}}, {}};
}

std::optional<std::string> when_key(const Problem& p, const Contract& contract) {
  if (const auto why = no_weights(p)) return why;
  if (!any_sink(p)) return "it has no sink";
  if (caps_bias(p, contract)) return "the bias goes through the softcap, the sink does not";
  if (!has_finite_values(p.q)) return "a query is not finite";
  const Problem base = with_explicit_keys(p);
  if (!base.mask.bias) return std::nullopt;
  for (const std::uint64_t bits : p.sinks->bits) {
    if (!is_exact(base.mask.bias->format, decode(p.sinks->format, bits))) {
      return "a sink is no number of the bias's format";
    }
  }
  return std::nullopt;
}

Verdict judge_key(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(key_name);
  own_everywhere(ledger, exhibits);
  const bool lse = exhibits[0].contract->semantics.lse_sink == Semantics::LseSink::included;
  relate(ledger, false, exhibits[0], exhibits[1],
         [lse](const PlaceIndex& at) -> std::optional<PlaceIndex> {
           if (at.c < 0 && !lse) return std::nullopt;
           return at;
         });
  return ledger.verdict();
}

// --- a raised bias

constexpr double tilts[] = {0.5, 2};

/// Columns of V show the weights of the raised key map[0] and of the ones after it.
Plan plan_tilt(const Problem& problem, const Contract&) {
  const Shape& s = problem.shape;
  Choices choices = choices_of(tilt_name);
  const std::int64_t key = choices.between(0, s.S - 1);
  Plan plan{{{bias_base(problem), ""}}, {key}};
  set_values(plan.runs[0].problem,
             [&](auto, auto, auto j, auto d) { return j == (key + d) % s.S ? 1.0 : 0.0; });
  for (const double tilt : tilts) {
    Problem p = plan.runs[0].problem;
    expand_bias(p);
    for_rows(s, [&](auto b, auto h, auto i) {
      p.mask.bias->set(b, h, i, key, p.mask.bias->value(b, h, i, key) + tilt);
    });
    plan.runs.push_back(
        {std::move(p), tilt < 1 ? "one bias raised by 1/2" : "one bias raised by 2"});
  }
  return plan;
}

std::optional<std::string> when_tilt(const Problem& p, const Contract& contract) {
  if (const auto why = no_weights(p)) return why;
  if (!may_use_bias(p, contract)) return "it cannot have a bias of enough digits";
  return std::nullopt;
}

/// w e^c / (1 + w (e^c - 1)), which rises with w.
Interval raised(const Interval& w, const Interval& factor) {
  const auto at = [&](double x) {
    const Interval part{x, x};
    return outward::div(outward::mul(part, factor),
                        outward::add({1, 1}, outward::mul(part, outward::sub(factor, {1, 1}))));
  };
  return {at(w.lo).lo, at(w.hi).hi};
}

Verdict judge_tilt(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(tilt_name);
  own_everywhere(ledger, exhibits);
  const Shape& s = exhibits[0].run->problem.shape;
  for_places(s, false, [&](const PlaceIndex& at) {
    auto w = seen({&exhibits[0], {at.b, at.h, at.i, 0}});
    auto own = seen({&exhibits[0], at});
    if (!w || !own) return;
    *w = image(within_one, *w);
    *own = image(within_one, *own);
    if (!(w->near.lo <= w->near.hi && own->near.lo <= own->near.hi)) return;
    for (std::size_t run = 1; run < exhibits.size(); ++run) {
      const Interval factor = exp_any(outward::point(tilts[run - 1]));
      const auto same = [&](const Interval& x) { return raised(x, factor); };
      const auto other = [&](const Interval& x, const Interval& y) {
        const Interval more = outward::mul(x, outward::sub(factor, {1, 1}));
        return outward::div(y, outward::add({1, 1}, more));
      };
      const bool key = at.c % s.S == 0;
      meet_image(ledger, {&exhibits[run], at}, key ? image(same, *w) : image(other, *w, *own),
                 "the weights after one score has been raised");
    }
  });
  return ledger.verdict();
}

}  // namespace

constinit const Property sink_from_lse{
    lse_name,
    "A sink takes the share of the output that the LSE without it says.",
    applies_when<when_lse, plan_lse>,
    plan_lse,
    judge_lse,
    every_impostor,
    prepare_lse,
    "sink_scaled"};

constinit const Property sink_equals_key{
    key_name,
    "A sink equals one more visible key with k = 0, V = 0 and the sink as its bias.",
    applies_when<when_key, plan_key>,
    plan_key,
    judge_key,
    every_impostor,
    give_sinks,
    "sink_dropped_beside_a_bias"};

constinit const Property bias_tilt{
    tilt_name,
    "Raising one score by c turns its weight w into w e^c / (1 + w (e^c - 1)).",
    applies_when<when_tilt, plan_tilt>,
    plan_tilt,
    judge_tilt,
    every_impostor,
    nullptr,
    "bias_clipped"};

}  // namespace qkvet
