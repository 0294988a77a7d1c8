// masked-weight-zero: a hidden key has weight exactly 0, not merely little. Here for case (d) of
// relations.md rule 1: V = e_j of a hidden key is not drawn, and shows leaks far below any bound.
#include <algorithm>
#include <qkvet/check/free.hpp>
#include <qkvet/check/judge_own.hpp>

#include "properties/list.hpp"
#include "properties/prepare.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "masked-weight-zero";

/// Keys that are hidden in some row that sees another key.
std::vector<std::int64_t> hidden_keys(const Problem& p, const Contract& contract) {
  std::vector<char> hidden(static_cast<std::size_t>(p.shape.S), 0);
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    if (count_seen(p, contract, b, h, i) == 0) return;
    for (std::int64_t j = 0; j < p.shape.S; ++j) {
      if (!sees(p, contract, b, h, i, j)) hidden[static_cast<std::size_t>(j)] = 1;
    }
  });
  std::vector<std::int64_t> keys;
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    if (hidden[static_cast<std::size_t>(j)] != 0) keys.push_back(j);
  }
  return keys;
}

/// One key per column, spread evenly over `keys` with the first and the last among them.
std::vector<std::int64_t> shown_keys(const std::vector<std::int64_t>& keys, std::int64_t d_v) {
  std::vector<std::int64_t> shown;
  const auto last = static_cast<std::int64_t>(keys.size()) - 1;
  for (std::int64_t d = 0; d < d_v; ++d) {
    const std::int64_t at = d_v == 1 ? last : d * last / (d_v - 1);
    shown.push_back(keys[static_cast<std::size_t>(at)]);
  }
  return shown;
}

/// map: the key that each column shows.
Plan plan(const Problem& problem, const Contract& contract) {
  const std::vector<std::int64_t> shown =
      shown_keys(hidden_keys(problem, contract), problem.shape.d_v);
  Plan plan{{{problem, ""}, {problem, "V shows hidden keys"}}, shown};
  set_values(plan.runs[1].problem, [&](auto, auto, auto j, auto d) {
    return j == shown[static_cast<std::size_t>(d)] ? 1.0 : 0.0;
  });
  return plan;
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  if (const auto why = hides_nothing(problem, contract)) return why;
  return outside_limits(plan(problem, contract), contract);
}

Verdict judge(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  const Exhibit& shows = exhibits[1];
  const Problem& p = shows.run->problem;
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    if (count_seen(p, *shows.contract, b, h, i) == 0) return;
    for (std::int64_t c = 0; c < p.shape.d_v; ++c) {
      const std::int64_t key = plan.map[static_cast<std::size_t>(c)];
      if (sees(p, *shows.contract, b, h, i, key)) continue;
      judge_free(ledger, {&shows, {b, h, i, c}}, {0, 0}, 0,
                 "the key that this column shows is hidden: its weight is exactly 0");
    }
  });
  return ledger.verdict();
}

}  // namespace

constinit const Property masked_weight_zero{
    name,           "A key that the mask hides from a row has weight exactly 0 there.",
    applies,        plan,
    judge,          every_impostor,
    hide_something, "causal_off_by_one"};

}  // namespace qkvet
