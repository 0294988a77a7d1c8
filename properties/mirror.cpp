// mirror: read from right to left, attention is the same. Here for cases (c), (d) and (e) of
// relations.md rule 1: off-by-one borders change sides, so no oracle is needed to see them.
#include <algorithm>

#include "properties/family.hpp"
#include "properties/list.hpp"
#include "properties/rewrites.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "mirror";

Indices reversed(std::int64_t n) {
  Indices order = indices(0, n);
  std::reverse(order.begin(), order.end());
  return order;
}

/// Rows, keys, mask and bias in reverse. Requires fixed diagonals: offset := S - L - offset, causal
/// becomes a window that is open on the right.
Problem mirrored(const Problem& problem) {
  const Shape& s = problem.shape;
  Problem p = take_rows(problem, reversed(s.L));
  const Indices keys = reversed(s.S);
  take(p.k, 2, keys);
  take(p.v, 2, keys);
  take_masks(p, 3, s.S, keys);
  p.layouts.k = p.layouts.v = {};
  if (diagonal_matters(problem)) {
    for (std::int64_t& offset : p.mask.diagonal.offsets) offset = s.S - s.L - offset;
  }
  if (p.mask.causal || p.mask.window) {
    Window window = p.mask.window.value_or(Window{});
    if (p.mask.causal) window.right = std::min<std::int64_t>(0, window.right.value_or(0));
    p.mask.window = Window{window.right, window.left};
    p.mask.causal = false;
  }
  if (p.mask.key_range) {
    KeyRange& range = *p.mask.key_range;
    for (std::size_t b = 0; b < range.start.size(); ++b) {
      const std::int64_t start = s.S - range.end[b];
      range.end[b] = s.S - range.start[b];
      range.start[b] = start;
    }
  }
  return p;
}

/// With flags where the limits take a window with one open end, else with explicit keys.
Plan plan(const Problem& problem, const Contract& contract) {
  Problem flags = mirrored(fixed(problem));
  if (!outside(contract.limits, flags))
    return {{{problem, ""}, {std::move(flags), "mirrored"}}, {}};
  const Problem base = with_explicit_keys(problem);
  return {{{base, ""}, {mirrored(base), "mirrored, with explicit keys"}}, {}};
}

std::optional<std::string> when(const Problem& p, const Contract&) {
  if (p.shape.L < 2 && p.shape.S < 2) return "it has one row and one key";
  return no_weights(p);
}

Verdict judge(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  const std::int64_t last = exhibits[0].run->problem.shape.L - 1;
  // Sums are taken in another order: no promise makes these bits equal.
  relate(ledger, false, exhibits[0], exhibits[1], [last](const PlaceIndex& at) {
    return PlaceIndex{at.b, at.h, last - at.i, at.c};
  });
  return ledger.verdict();
}

}  // namespace

constinit const Property mirror{name,
                                "Queries, keys and masks in reverse give the outputs in reverse.",
                                applies_when<when, plan>,
                                plan,
                                judge,
                                every_impostor,
                                nullptr,
                                "window_sides_swapped"};

}  // namespace qkvet
