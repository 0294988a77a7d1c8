// single-visible-key: a row that sees one key returns that key's value, whatever the score. Here
// for cases (a), (d) and (e) of relations.md rule 1: bits where exact-one is promised, a mask that
// is not drawn, and a result that is known without the oracle.
#include <cmath>
#include <qkvet/check/free.hpp>
#include <qkvet/check/judge_own.hpp>

#include "properties/list.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "single-visible-key";

/// Masks dropped; the bias keeps its finite values.
Problem without_masks(const Problem& problem) {
  Problem p = problem;
  p.mask = {};
  p.mask.bias = problem.mask.bias;
  p.layouts.attend = p.layouts.bias = {};
  if (!p.mask.bias) return p;
  for (std::uint64_t& bits : p.mask.bias->bits) {
    if (!is_finite(p.mask.bias->format, bits)) bits = encode(p.mask.bias->format, 0);
  }
  return p;
}

Problem by_boolean_mask(const Problem& problem) {
  Problem p = without_masks(problem);
  const Shape& s = p.shape;
  BoolMask mask{{1, 1, s.L, s.S}, {}};
  for (std::int64_t i = 0; i < s.L; ++i) {
    for (std::int64_t j = 0; j < s.S; ++j) mask.attend.push_back(j == (3 * i + 1) % s.S ? 1 : 0);
  }
  p.mask.attend = std::move(mask);
  return p;
}

Problem by_key_range(const Problem& problem) {
  Problem p = without_masks(problem);
  KeyRange range;
  for (std::int64_t b = 0; b < p.shape.B; ++b) {
    range.start.push_back((p.shape.S - 1 + b) % p.shape.S);
    range.end.push_back(range.start.back() + 1);
  }
  p.mask.key_range = range;
  return p;
}

/// A window of one key: row i sees key i (or the one at the bottom right). Needs S >= L.
Problem by_window(const Problem& problem) {
  Problem p = without_masks(problem);
  p.mask.causal = problem.mask.causal;
  if (problem.mask.diagonal.kind == Diagonal::Kind::bottom_right) {
    p.mask.diagonal.kind = Diagonal::Kind::bottom_right;
  }
  p.mask.window = Window{0, 0};
  return p;
}

/// S := 1; the causal flag stays where row 0 sees key 0 anyway.
Problem by_one_key(const Problem& problem) {
  Problem p = permute_keys(without_masks(problem), {0});
  p.shape.S = 1;
  p.mask.causal = problem.mask.causal;
  return p;
}

/// The ways in an order that varies with the shape, the first that the limits take.
Problem restricted(const Problem& problem, const Contract& contract) {
  using Way = Problem (*)(const Problem&);
  constexpr Way ways[] = {by_boolean_mask, by_key_range, by_window, by_one_key};
  const Shape& s = problem.shape;
  for (std::int64_t turn = 0; turn < 4; ++turn) {
    const Way way = ways[(s.L + s.S + s.d_v + turn) % 4];
    if (way == by_window && s.L > s.S) continue;
    if (way == by_one_key && problem.alibi_slopes) continue;
    Problem p = way(problem);
    if (!outside(contract.limits, p)) return p;
  }
  return by_boolean_mask(problem);
}

Plan plan(const Problem& problem, const Contract& contract) {
  return {{{problem, ""}, {restricted(problem, contract), "one key visible"}}, {}};
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  if (problem.shape.outputs() == 0 || problem.shape.S == 0) return "it has no keys";
  return outside_limits(plan(problem, contract), contract);
}

/// The one key that the row sees; -1 if it sees none (a causal window may hide even that).
std::int64_t only_key(const Problem& p, const Contract& contract, const PlaceIndex& at) {
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    if (sees(p, contract, at.b, at.h, at.i, j)) return j;
  }
  return -1;
}

Verdict judge(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  const Exhibit& one = exhibits[1];
  const Problem& p = one.run->problem;
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    const std::int64_t key = only_key(p, *one.contract, {b, h, i, 0});
    if (key < 0 || has_sink(p, h)) return;
    for (std::int64_t c = 0; c < p.shape.d_v; ++c) {
      const double v = p.v.value(b, p.shape.kv_head(h), key, c);
      if (!std::isfinite(v)) continue;
      const Spot spot{&one, {b, h, i, c}};
      constexpr std::string_view why = "the row sees one key, and this is its value";
      expect_enclosure(spot, {v, v}, why);
      if (one.contract->promises.exact_one) judge_free(ledger, spot, {v, v}, 0, why);
    }
  });
  return ledger.verdict();
}

}  // namespace

constinit const Property single_visible_key{
    name,    "A row that sees exactly one key returns the value of that key.",
    applies, plan,
    judge,   every_impostor,
    nullptr, "one_key_divides_by_two"};

}  // namespace qkvet
