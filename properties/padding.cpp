// hidden-key, padded-equals-unpadded, left-pad-shift: keys that no row sees are as good as absent.
// Here for cases (a), (c) and (d) of relations.md rule 1: bits where padding is promised, one
// reading of the diagonal whatever S is, and keys that are not drawn.
#include <algorithm>

#include "properties/family.hpp"
#include "properties/list.hpp"
#include "properties/rewrites.hpp"

namespace qkvet {
namespace {

constexpr std::string_view hidden_name = "hidden-key";
constexpr std::string_view padded_name = "padded-equals-unpadded";
constexpr std::string_view left_name = "left-pad-shift";

std::optional<std::string> when_weights(const Problem& p, const Contract&) { return no_weights(p); }

/// Hides keys outside [from, to) by a key range, or by the boolean mask where the limits (or
/// `by_mask`) ask for that. A key range that is there already hides them.
Problem only_keys(const Problem& problem, const Contract& contract, std::int64_t from,
                  std::int64_t to, bool by_mask) {
  const auto ranged = [&] {
    Problem p = problem;
    const auto entries = static_cast<std::size_t>(p.shape.B);
    if (!p.mask.key_range) {
      p.mask.key_range = KeyRange{Indices(entries, from), Indices(entries, to)};
    }
    for (std::int64_t& start : p.mask.key_range->start) start = std::clamp(start, from, to);
    for (std::int64_t& end : p.mask.key_range->end) end = std::clamp(end, from, to);
    return p;
  };
  const auto masked = [&] {
    Problem p = problem;
    and_mask(p, {.i = false}, [=](auto, auto, auto, auto j) { return from <= j && j < to; });
    return p;
  };
  Problem first = by_mask ? masked() : ranged();
  if (!outside(contract.limits, first)) return first;
  return by_mask ? ranged() : masked();
}

// --- one hidden key more

/// Behind the last key, with the diagonal fixed; or in the middle, with explicit keys on both
/// sides.
Plan plan_hidden(const Problem& problem, const Contract& contract) {
  const Shape& s = problem.shape;
  Choices choices = choices_of(hidden_name);
  const bool by_mask = s.L % 2 == 0;
  if ((s.L + s.d_v) % 2 == 0) {
    const Problem longer = insert_keys(problem, s.S, 1, choices);
    return {{{problem, ""},
             {only_keys(longer, contract, 0, s.S, by_mask), "a hidden key behind the last"}},
            {}};
  }
  const Problem base = with_explicit_keys(problem);
  const std::int64_t at = s.S / 2;
  Problem longer = insert_keys(base, at, 1, choices);
  and_mask(longer, {.i = false}, [at](auto, auto, auto, auto j) { return j != at; });
  return {{{base, ""}, {std::move(longer), "a hidden key in the middle"}}, {}};
}

// --- padding behind

/// The keys that count: about two thirds, at least one.
std::int64_t kept_keys(const Shape& s) { return s.S - std::max<std::int64_t>(1, s.S / 3); }

Plan plan_padded(const Problem& problem, const Contract& contract) {
  const std::int64_t kept = kept_keys(problem.shape);
  const bool by_mask = (problem.shape.L + problem.shape.d_k) % 4 == 0;
  const Problem padded = only_keys(fixed(problem), contract, 0, kept, by_mask);
  Choices choices = choices_of(padded_name);
  Problem garbage = padded;
  for (std::int64_t b = 0; b < garbage.shape.B; ++b)
    for (std::int64_t g = 0; g < garbage.shape.H_kv; ++g)
      for (std::int64_t j = kept; j < garbage.shape.S; ++j) {
        const auto any = [&] { return static_cast<double>(choices.between(-512, 511)) / 16; };
        for (std::int64_t c = 0; c < garbage.shape.d_k; ++c) garbage.k.set(b, g, j, c, any());
        for (std::int64_t d = 0; d < garbage.shape.d_v; ++d) garbage.v.set(b, g, j, d, any());
      }
  garbage.layouts.k = garbage.layouts.v = {};
  Problem cut = cut_keys(padded, 0, kept);
  if (cut.mask.key_range) {
    const KeyRange& range = *cut.mask.key_range;
    const auto full = [kept](std::int64_t end) { return end == kept; };
    const auto zero = [](std::int64_t start) { return start == 0; };
    if (std::all_of(range.start.begin(), range.start.end(), zero) &&
        std::all_of(range.end.begin(), range.end.end(), full)) {
      cut.mask.key_range.reset();
    }
  }
  return {{{std::move(cut), ""}, {padded, "padded"}, {std::move(garbage), "padded with garbage"}},
          {}};
}

std::optional<std::string> when_padded(const Problem& p, const Contract&) {
  if (p.shape.S < 2) return "it has no two keys";
  return no_weights(p);
}

// --- padding in front

Plan plan_left(const Problem& problem, const Contract& contract) {
  const Shape& s = problem.shape;
  Choices choices = choices_of(left_name);
  const std::int64_t count = 1 + (s.S + s.L) % 5;
  const Problem longer = insert_keys(problem, 0, count, choices);
  const bool by_mask = (s.L + s.d_k) % 4 == 0;
  return {{{problem, ""},
           {only_keys(longer, contract, count, s.S + count, by_mask), "hidden keys in front"}},
          {}};
}

}  // namespace

constinit const Property hidden_key{
    hidden_name,
    "One more key that no row sees changes nothing, wherever it stands.",
    applies_when<when_weights, plan_hidden>,
    plan_hidden,
    judge_equal_runs<hidden_name, &Promises::padding>,
    every_impostor,
    nullptr,
    "hidden_keys_add_a_little"};

constinit const Property padded_equals_unpadded{
    padded_name,
    "A key range of n keys equals a problem of n keys, whatever the padding holds.",
    applies_when<when_padded, plan_padded>,
    plan_padded,
    judge_equal_runs<padded_name, &Promises::padding>,
    every_impostor,
    nullptr,
    "key_range_end_rounded_up"};

constinit const Property left_pad_shift{
    left_name,
    "Hidden keys in front move the diagonal and change nothing.",
    applies_when<when_weights, plan_left>,
    plan_left,
    judge_meeting_runs<left_name>,
    every_impostor,
    nullptr,
    "left_padding_moves_diagonal"};

}  // namespace qkvet
