// What properties of one family share: a judge for runs that must all agree, and `applies` from a
// condition and a plan.
#pragma once

#include <qkvet/check/judge_own.hpp>
#include <qkvet/check/ledger.hpp>
#include <qkvet/check/meet.hpp>
#include <span>
#include <string_view>

#include "properties/tools.hpp"

namespace qkvet {

using Applies = std::optional<std::string> (*)(const Problem&, const Contract&);
using MakePlan = Plan (*)(const Problem&, const Contract&);

/// `when` gives a reason where the property does not speak of the problem; else every planned run
/// must lie inside the limits.
template <Applies when, MakePlan plan>
std::optional<std::string> applies_when(const Problem& problem, const Contract& contract) {
  if (auto why = when(problem, contract)) return why;
  return outside_limits(plan(problem, contract), contract);
}

/// `own` on every run, and each run equals the first place by place: by bits under the promise (if
/// there is one that could be given), else by `meet`.
template <const std::string_view& name, bool Promises::*promise>
Verdict judge_equal_runs(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  const bool bits = promise != nullptr && exhibits[0].contract->promises.*promise;
  const auto same = [](const PlaceIndex& at) { return at; };
  for (const Exhibit& other : exhibits.subspan(1)) relate(ledger, bits, exhibits[0], other, same);
  return ledger.verdict();
}

/// The same where no promise makes bits equal.
template <const std::string_view& name>
Verdict judge_meeting_runs(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  const auto same = [](const PlaceIndex& at) { return at; };
  for (const Exhibit& other : exhibits.subspan(1)) relate(ledger, false, exhibits[0], other, same);
  return ledger.verdict();
}

/// `own` on every run and no more.
template <const std::string_view& name>
Verdict judge_each_run(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  return ledger.verdict();
}

/// Why no property of weights speaks of this problem, if so.
[[nodiscard]] inline std::optional<std::string> no_weights(const Problem& problem) {
  if (problem.shape.outputs() > 0 && problem.shape.S > 0) return std::nullopt;
  return "it has no weights";
}

/// Counts of what a call of several costs; none of them a tolerance.
inline constexpr std::int64_t most_small_work = 8192, most_small_scores = 1024;

/// Why a property that asks for several runs of the same, whose size tells nothing, leaves this
/// problem to others.
[[nodiscard]] inline std::optional<std::string> no_small_weights(const Problem& problem) {
  const Shape& s = problem.shape;
  if (s.work() > most_small_work || s.rows() * s.S > most_small_scores) {
    return "a smaller problem shows as much";
  }
  return no_weights(problem);
}

/// True if a bias of -inf is no mask here: it goes through the softcap.
[[nodiscard]] inline bool caps_bias(const Problem& problem, const Contract& contract) {
  return problem.softcap > 0 && contract.semantics.cap_order == Semantics::CapOrder::bias_then_cap;
}

}  // namespace qkvet
