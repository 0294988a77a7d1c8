// score-shift: a constant added to all scores of a row leaves O and moves the LSE by it. Here for
// cases (d) and (e) of relations.md rule 1: scores far from 0 in both directions with the result
// known from the base run.
#include <cmath>
#include <limits>
#include <qkvet/check/judge_own.hpp>
#include <qkvet/check/meet.hpp>

#include "properties/list.hpp"
#include "properties/shifts.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "score-shift";
constexpr double infinity = std::numeric_limits<double>::infinity();

/// map[0]: 1 for the bias form, 0 for the channel form (which alternate where both are possible).
Plan plan(const Problem& problem, const Contract& contract) {
  const bool bias = may_use_bias(problem, contract) &&
                    (!may_use_channel(problem) || (problem.shape.L + problem.shape.S) % 2 == 0);
  Plan plan{{}, {bias ? 1 : 0}};
  // 2^16 lies beyond the sentinels that stand in for -inf, 2^9 beyond the range of exp in f32: many
  // channels leave no bound below the range of V at 2^16.
  const double low = bias || problem.shape.d_k <= 16 ? -0x1p16 : -0x1p9;
  for (const double shift : {8.0, low}) {
    if (bias) {
      const Problem base = bias_base(problem);
      if (plan.runs.empty()) plan.runs.push_back({base, ""});
      plan.runs.push_back({bias_shifted(base, shift), "shifted " + std::to_string(shift)});
    } else {
      const double q = channel_query(problem, shift);
      if (q >= 0 && q <= 0) continue;
      plan.runs.push_back({channel(problem, q, 0), "base of " + std::to_string(shift)});
      plan.runs.push_back({channel(problem, q, 1), "shifted " + std::to_string(shift)});
    }
  }
  return plan;
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  if (problem.shape.outputs() == 0 || problem.shape.S == 0) return "it has no scores";
  if (!may_use_bias(problem, contract) && !may_use_channel(problem)) {
    return "neither a bias nor a channel can shift its scores";
  }
  const Plan planned = plan(problem, contract);
  if (planned.runs.empty()) return "the scale leaves no shift in range";
  return outside_limits(planned, contract);
}

/// What the shift adds to the LSE: scale * q is exact but for the rounding of the default scale.
Interval lse_shift(const Problem& base, const Problem& to, const Contract& contract, bool bias) {
  Interval shift;
  if (bias) {
    // Every finite entry moved by the same power of two, exactly.
    for (std::size_t n = 0; n < base.mask.bias->bits.size(); ++n) {
      const double before = decode(base.mask.bias->format, base.mask.bias->bits[n]);
      if (!std::isfinite(before)) continue;
      const double c = decode(to.mask.bias->format, to.mask.bias->bits[n]) - before;
      shift = {c, c};
      break;
    }
  } else {
    const double scale = scale_value(base);
    const double c = scale * base.q.value(0, 0, 0, base.shape.d_k - 1);
    shift = {std::nextafter(c, -infinity), std::nextafter(c, infinity)};
  }
  if (contract.semantics.lse_base != Semantics::LseBase::two) return shift;
  constexpr double log2e = 0x1.71547652b82fep+0;
  const double error = 4 * info(Format::binary64).u * log2e * shift.magnitude();  // three roundings
  return {shift.lo * log2e - error, shift.hi * log2e + error};
}

Verdict judge(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  const bool bias = plan.map[0] != 0;
  const auto same = [](const PlaceIndex& at) { return at; };
  for (std::size_t to = 1; to < exhibits.size(); to += bias ? 1 : 2) {
    const Exhibit& base = exhibits[bias ? 0 : to - 1];
    const Interval shift =
        lse_shift(base.run->problem, exhibits[to].run->problem, *base.contract, bias);
    relate(ledger, false, base, exhibits[to], same, shift);
  }
  return ledger.verdict();
}

}  // namespace

constinit const Property score_shift{
    name,    "Adding a constant to all scores of a row leaves O and adds the constant to the LSE.",
    applies, plan,
    judge,   every_impostor,
    nullptr, "maximum_from_zero"};

}  // namespace qkvet
