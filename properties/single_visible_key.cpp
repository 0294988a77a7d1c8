// single-visible-key: a row that sees one key returns that key's value, whatever the score. Here
// for cases (a), (d) and (e) of relations.md rule 1: bits where exact-one is promised, a mask that
// is not drawn, and a result that is known without the oracle.
#include <cmath>
#include <qkvet/check/free.hpp>
#include <qkvet/check/judge_own.hpp>

#include "properties/list.hpp"
#include "properties/one_key.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "single-visible-key";

Plan plan(const Problem& problem, const Contract& contract) {
  return {{{problem, ""}, {with_one_key(problem, contract), "one key visible"}}, {}};
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
