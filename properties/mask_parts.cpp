// bool-equals-minus-inf, neutral-feature, mask-broadcast, mask-intersection: one mask in several
// forms. Here for cases (a) and (d) of relations.md rule 1: bits where mask-forms are promised, and
// forms that are not drawn.
#include <limits>

#include "properties/family.hpp"
#include "properties/list.hpp"
#include "properties/prepare.hpp"
#include "properties/rewrites.hpp"

namespace qkvet {
namespace {

constexpr std::string_view minus_inf_name = "bool-equals-minus-inf";
constexpr std::string_view neutral_name = "neutral-feature";
constexpr std::string_view broadcast_name = "mask-broadcast";
constexpr std::string_view intersection_name = "mask-intersection";
constexpr double infinity = std::numeric_limits<double>::infinity();

bool attends(const Problem& p, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
  Problem only;  // The boolean mask alone.
  only.shape = p.shape;
  only.mask.attend = p.mask.attend;
  return visible_without_bias(only, b, h, i, j);
}

// --- a boolean mask as a bias of 0 and -inf

std::optional<std::string> when_minus_inf(const Problem& p, const Contract& contract) {
  if (!p.mask.attend) return "it has no boolean mask";
  if (caps_bias(p, contract)) return "a bias of -inf is no mask before the softcap";
  return no_weights(p);
}

/// The boolean mask written into the bias: `hidden` for the finite numbers that it replaces.
Problem mask_as_bias(const Problem& problem, double hidden) {
  Problem p = problem;
  expand_bias(p);
  p.mask.attend.reset();
  p.layouts.attend = {};
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    for (std::int64_t j = 0; j < p.shape.S; ++j) {
      if (!attends(problem, b, h, i, j)) p.mask.bias->set(b, h, i, j, hidden);
    }
  });
  return p;
}

/// map[0]: the run with finfo.min in place of -inf, 0 if there is none. It equals a mask only on
/// rows that see a key, and only where no score comes near it.
Plan plan_minus_inf(const Problem& problem, const Contract& contract) {
  Plan plan{{{problem, ""}, {mask_as_bias(problem, -infinity), "the mask as a bias of -inf"}}, {0}};
  const Format format = problem.mask.bias ? problem.mask.bias->format : problem.format;
  if (rough_score_size(problem) < 0x1p12) {
    Problem finite = mask_as_bias(problem, -info(format).max);
    if (!outside(contract.limits, finite)) {
      plan.map[0] = 2;
      plan.runs.push_back({std::move(finite), "the mask as a bias of the lowest number"});
    }
  }
  return plan;
}

Verdict judge_minus_inf(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(minus_inf_name);
  own_everywhere(ledger, exhibits);
  const Exhibit& given = exhibits[0];
  const auto same = [](const PlaceIndex& at) { return at; };
  relate(ledger, given.contract->promises.mask_forms, given, exhibits[1], same);
  if (plan.map[0] == 0) return ledger.verdict();
  const Problem& p = given.run->problem;
  std::vector<char> live(static_cast<std::size_t>(p.shape.rows()), 0);
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    live[static_cast<std::size_t>(p.shape.row(b, h, i))] =
        count_seen(p, *given.contract, b, h, i) > 0 ? 1 : 0;
  });
  relate(ledger, false, given, exhibits[2], [&](const PlaceIndex& at) -> std::optional<PlaceIndex> {
    if (live[static_cast<std::size_t>(p.shape.row(at.b, at.h, at.i))] == 0) return std::nullopt;
    return at;
  });
  return ledger.verdict();
}

void give_mask(Problem& p, std::uint64_t seed) {
  if (p.mask.attend) return;
  Choices choices = Choices::from_seed(seed);
  BoolMask mask{{1, 1, p.shape.L, p.shape.S}, {}};
  for (std::int64_t n = 0; n < p.shape.L * p.shape.S; ++n) {
    mask.attend.push_back(choices.chance(2, 3) ? 1 : 0);
  }
  p.mask.attend = std::move(mask);
  p.layouts.attend = {};
}

// --- features that change nothing

struct Neutral {
  const char* role;
  bool mask;              ///< a mask in another form: bits may be promised
  bool (*add)(Problem&);  ///< false if the feature is in use
};

std::int64_t far(const Problem& p) {
  std::int64_t most = 0;
  for (std::int64_t b = 0; b < p.shape.B; ++b)
    most = std::max(most, std::abs(diagonal_offset(p, b)));
  return most + p.shape.L + p.shape.S;
}

const Neutral neutrals[] = {
    {"an all-true mask", true,
     [](Problem& p) {
       if (p.mask.attend) return false;
       and_mask(p, {}, [](auto, auto, auto, auto) { return true; });
       return true;
     }},
    {"a bias of 0", true,
     [](Problem& p) {
       if (p.mask.bias) return false;
       p.mask.bias = make_tensor(p.format, {1, 1, p.shape.L, p.shape.S});
       return true;
     }},
    {"a window of all", true,
     [](Problem& p) {
       if (p.mask.window) return false;
       const std::int64_t width = far(p);
       p.mask.window = Window{width, width};
       return true;
     }},
    {"causal from the last key on", true,
     [](Problem& p) {
       if (diagonal_matters(p)) return false;
       p.mask.causal = true;
       p.mask.diagonal = {Diagonal::Kind::fixed, {p.shape.S - 1}};
       return true;
     }},
    {"the full key range", true,
     [](Problem& p) {
       if (p.mask.key_range) return false;
       const auto entries = static_cast<std::size_t>(p.shape.B);
       p.mask.key_range = KeyRange{Indices(entries, 0), Indices(entries, p.shape.S)};
       return true;
     }},
    {"ALiBi of slope 0", false,
     [](Problem& p) {
       if (p.alibi_slopes) return false;
       p.alibi_slopes = make_tensor(p.format, {p.shape.H_q, 1, 1, 1});
       return true;
     }},
    {"sinks of -inf", false,
     [](Problem& p) {
       if (p.sinks) return false;
       p.sinks = make_tensor(p.format, {p.shape.H_q, 1, 1, 1});
       for (std::uint64_t& bits : p.sinks->bits) bits = encode(p.format, -infinity);
       return true;
     }},
};

/// map: for each later run, whether it is the same mask in another form. At most three features,
/// which ones varies with the shape.
Plan plan_neutral(const Problem& problem, const Contract& contract) {
  Plan plan{{{problem, ""}}, {}};
  const Problem base = fixed(problem);
  const Shape& s = problem.shape;
  constexpr std::size_t count = std::size(neutrals);
  const auto start = static_cast<std::size_t>(s.L + 2 * s.S + 3 * s.d_k + 5 * s.d_v + s.B);
  for (std::size_t n = 0; n < count && plan.map.size() < 3; ++n) {
    const Neutral& neutral = neutrals[(start + n) % count];
    Problem p = base;
    if (!neutral.add(p) || outside(contract.limits, p)) continue;
    plan.runs.push_back({std::move(p), neutral.role});
    plan.map.push_back(neutral.mask ? 1 : 0);
  }
  return plan;
}

std::optional<std::string> when_neutral(const Problem& p, const Contract& contract) {
  if (const auto why = no_weights(p)) return why;
  if (plan_neutral(p, contract).runs.size() < 2) return "no feature can be added that does nothing";
  return std::nullopt;
}

Verdict judge_neutral(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(neutral_name);
  own_everywhere(ledger, exhibits);
  const bool promised = exhibits[0].contract->promises.mask_forms;
  const auto same = [](const PlaceIndex& at) { return at; };
  for (std::size_t run = 1; run < exhibits.size(); ++run) {
    relate(ledger, promised && plan.map[run - 1] != 0, exhibits[0], exhibits[run], same);
  }
  return ledger.verdict();
}

// --- broadcast masks in full

std::optional<std::string> when_broadcast(const Problem& p, const Contract&) {
  const Shape& s = p.shape;
  const std::array<std::int64_t, 4> full{s.B, s.H_q, s.L, s.S};
  const bool mask = p.mask.attend && p.mask.attend->extents != full;
  const bool bias = p.mask.bias && p.mask.bias->extents != full;
  if (!mask && !bias) return "neither mask nor bias is broadcast";
  return no_weights(p);
}

Plan plan_broadcast(const Problem& problem, const Contract&) {
  Problem p = problem;
  if (p.mask.attend) {
    and_mask(p, {.b = true, .h = true}, [](auto, auto, auto, auto) { return true; });
  }
  if (p.mask.bias) expand_bias(p);
  return {{{problem, ""}, {std::move(p), "mask and bias in full"}}, {}};
}

/// One of the 16 broadcast forms, of a boolean mask or of a bias.
void prepare_broadcast(Problem& p, std::uint64_t seed) {
  if (!when_broadcast(p, Contract{})) return;
  const Shape& s = p.shape;
  Choices choices = Choices::from_seed(seed);
  const std::array<std::int64_t, 4> full{s.B, s.H_q, s.L, s.S};
  std::array<std::int64_t, 4> extents{};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    extents[axis] = choices.chance(1, 2) ? full[axis] : 1;
  }
  const auto size = static_cast<std::size_t>(extents[0] * extents[1] * extents[2] * extents[3]);
  if (choices.chance(1, 2)) {
    BoolMask mask{extents, {}};
    for (std::size_t n = 0; n < size; ++n) mask.attend.push_back(choices.chance(3, 4) ? 1 : 0);
    p.mask.attend = std::move(mask);
    p.layouts.attend = {};
  } else {
    Tensor bias = make_tensor(p.format, extents);
    for (std::uint64_t& bits : bias.bits) bits = encode(p.format, on_sum_grid(p.format, choices));
    p.mask.bias = std::move(bias);
    p.layouts.bias = {};
  }
}

// --- all parts as one mask

std::optional<std::string> when_intersection(const Problem& p, const Contract&) {
  const int parts = (p.mask.causal ? 1 : 0) + (p.mask.window ? 1 : 0) + (p.mask.key_range ? 1 : 0) +
                    (p.mask.attend ? 1 : 0) + (p.mask.bias ? 1 : 0);
  if (parts < 2) return "its mask has fewer than two parts";
  return no_weights(p);
}

Plan plan_intersection(const Problem& problem, const Contract& contract) {
  Problem p = fixed(problem);
  p.mask.causal = false;
  p.mask.window.reset();
  p.mask.key_range.reset();
  if (!diagonal_matters(p)) p.mask.diagonal = {};
  p.mask.attend.reset();
  and_mask(p, {.b = true, .h = true},
           [&](auto b, auto h, auto i, auto j) { return sees(problem, contract, b, h, i, j); });
  if (p.mask.bias && !caps_bias(p, contract)) {
    for (std::uint64_t& bits : p.mask.bias->bits) {
      if (decode(p.mask.bias->format, bits) <= -infinity) bits = encode(p.mask.bias->format, 0);
    }
  }
  return {{{problem, ""}, {std::move(p), "all parts as one boolean mask"}}, {}};
}

/// Two parts that may empty a row only together.
void prepare_intersection(Problem& p, std::uint64_t seed) {
  if (!when_intersection(p, Contract{})) return;
  give_mask(p, seed);
  if (when_intersection(p, Contract{})) p.mask.causal = true;
}

}  // namespace

constinit const Property bool_equals_minus_inf{minus_inf_name,
                                               "A boolean mask equals a bias of 0 and -inf.",
                                               applies_when<when_minus_inf, plan_minus_inf>,
                                               plan_minus_inf,
                                               judge_minus_inf,
                                               every_impostor,
                                               give_mask,
                                               "mask_of_first_head"};

constinit const Property neutral_feature{
    neutral_name,
    "A feature that hides nothing and adds nothing changes nothing.",
    applies_when<when_neutral, plan_neutral>,
    plan_neutral,
    judge_neutral,
    every_impostor,
    nullptr,
    "mask_hides_last_key"};

constinit const Property mask_broadcast{broadcast_name,
                                        "A broadcast mask or bias equals its expanded copy.",
                                        applies_when<when_broadcast, plan_broadcast>,
                                        plan_broadcast,
                                        judge_equal_runs<broadcast_name, &Promises::mask_forms>,
                                        every_impostor,
                                        prepare_broadcast,
                                        "bias_of_first_head"};

constinit const Property mask_intersection{
    intersection_name,
    "A key is visible if every part of the mask shows it: all parts equal one mask of their AND.",
    applies_when<when_intersection, plan_intersection>,
    plan_intersection,
    judge_equal_runs<intersection_name, &Promises::mask_forms>,
    every_impostor,
    prepare_intersection,
    "causal_ignored_beside_a_mask"};

}  // namespace qkvet
