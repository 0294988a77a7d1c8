// outputs-written, memory-kept: what a call does to memory. Every run is made twice, over two
// patterns, between canaries, and a fault there fails any property; these two lay the tensors so
// that there is something to fault. Here for cases (b) and (d) of relations.md rule 1: places that
// the contract leaves open must still be written, and gaps between elements that are not drawn.
#include <algorithm>
#include <array>

#include "properties/family.hpp"
#include "properties/list.hpp"
#include "properties/rewrites.hpp"

namespace qkvet {
namespace {

constexpr std::string_view written_name = "outputs-written";
constexpr std::string_view kept_name = "memory-kept";

using Extents = std::array<std::int64_t, 4>;

std::optional<std::string> when_outputs(const Problem& p, const Contract&) {
  return no_small_weights(p);
}

/// Contiguous but for `gap` elements between rows, and `shift` elements beyond a border of 64 bytes.
Layout gapped(const Extents& e, std::int64_t gap, std::int64_t shift) {
  const std::int64_t row = std::max<std::int64_t>(e[3], 1) + gap;
  const std::int64_t head = row * std::max<std::int64_t>(e[2], 1);
  return {Extents{head * std::max<std::int64_t>(e[1], 1), head, row, 1}, shift};
}

Extents outputs_of(const Shape& s) { return {s.B, s.H_q, s.L, s.d_v}; }

Problem with_gaps_in_outputs(const Problem& problem, std::int64_t gap, std::int64_t shift) {
  Problem p = problem;
  const Shape& s = p.shape;
  p.layouts.o = gapped(outputs_of(s), gap, shift);
  if (p.want_lse) p.layouts.lse = gapped({s.B, s.H_q, s.L, 1}, gap, shift);
  return p;
}

/// As drawn, with gaps in the outputs, and with every third row empty.
Plan plan_written(const Problem& problem, const Contract& contract) {
  const Shape& s = problem.shape;
  Plan plan{{{problem, ""}}, {}};
  const auto offer = [&](Problem p, const char* role) {
    if (!outside(contract.limits, p)) plan.runs.push_back({std::move(p), role});
  };
  offer(with_gaps_in_outputs(problem, 1 + (s.L + s.S) % 5, 1), "gaps in the outputs");
  Problem emptied = problem;
  and_mask(emptied, {.j = false}, [](auto, auto, auto i, auto) { return i % 3 != 0; });
  offer(std::move(emptied), "every third row empty");
  return plan;
}

/// Without gaps, so that what lies beyond the ends shows, and with gaps between all rows where the
/// limits take them.
Plan plan_kept(const Problem& problem, const Contract& contract) {
  const Shape& s = problem.shape;
  Problem dense = problem;
  dense.layouts = {};
  const std::int64_t gap = 1 + (s.L + s.S + s.d_v) % 7;
  Problem p = with_gaps_in_outputs(dense, gap, 0);
  p.layouts.q = gapped(p.q.extents, gap, 1);
  p.layouts.k = gapped(p.k.extents, gap + 1, 2);
  p.layouts.v = gapped(p.v.extents, gap + 2, 3);
  if (p.mask.attend) p.layouts.attend = gapped(p.mask.attend->extents, gap, 5);
  if (p.mask.bias) p.layouts.bias = gapped(p.mask.bias->extents, gap, 1);
  Plan plan{{{std::move(dense), ""}}, {}};
  if (!outside(contract.limits, p)) plan.runs.push_back({std::move(p), "gaps between rows"});
  return plan;
}

}  // namespace

constinit const Property outputs_written{
    written_name,
    "Every output is written, and does not depend on what lay in its memory.",
    applies_when<when_outputs, plan_written>,
    plan_written,
    judge_each_run<written_name>,
    every_impostor,
    nullptr,
    "zeros_not_stored"};

constinit const Property memory_kept{
    kept_name,
    "Nothing is written outside the outputs, and the inputs stay.",
    applies_when<when_outputs, plan_kept>,
    plan_kept,
    judge_equal_runs<kept_name, &Promises::layout>,
    every_impostor,
    nullptr,
    "rows_stored_by_fours"};

}  // namespace qkvet
