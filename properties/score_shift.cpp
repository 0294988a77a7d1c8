// score-shift: a constant added to all scores of a row leaves O and moves the LSE by it. Here for
// cases (d) and (e) of relations.md rule 1: scores far from 0 in both directions with the result
// known from the base run.
#include <cmath>
#include <limits>
#include <qkvet/check/judge_own.hpp>
#include <qkvet/check/meet.hpp>

#include "properties/list.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "score-shift";
constexpr double infinity = std::numeric_limits<double>::infinity();

/// On the grid of relations.md rule 7, integer * 2^-6 with |integer| < 2^10, so that adding a power
/// of two up to 2^16 is exact in f32 and f64. Infinities and NaN stay.
void to_grid(Tensor& tensor) {
  for (std::uint64_t& bits : tensor.bits) {
    const double x = decode(tensor.format, bits);
    if (!std::isfinite(x)) continue;
    const double inside = std::fmin(std::fmax(x, -15), 15);
    bits = encode(tensor.format, std::round(inside * 64) / 64);
  }
}

void add(Tensor& tensor, double shift) {
  for (std::uint64_t& bits : tensor.bits) {
    bits = encode(tensor.format, decode(tensor.format, bits) + shift);
  }
}

bool wide(Format format) { return format == Format::binary32 || format == Format::binary64; }

/// The bias form: bias (a new one if there is none) and sinks on the grid.
Problem bias_base(const Problem& problem) {
  Problem p = problem;
  if (!p.mask.bias) p.mask.bias = make_tensor(p.format, {1, 1, 1, 1});
  to_grid(*p.mask.bias);
  if (p.sinks) to_grid(*p.sinks);
  p.layouts.bias = {};
  return p;
}

Problem bias_shifted(const Problem& base, double shift) {
  Problem p = base;
  add(*p.mask.bias, shift);
  if (p.sinks) add(*p.sinks, shift);
  return p;
}

/// The channel form: the last channel has q = shift and k = 0 or 1.
Problem channel(const Problem& problem, double q, double k) {
  Problem p = problem;
  const Shape& s = p.shape;
  const std::int64_t last = s.d_k - 1;
  for_rows(s, [&](auto b, auto h, auto i) { p.q.set(b, h, i, last, q); });
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t g = 0; g < s.H_kv; ++g)
      for (std::int64_t j = 0; j < s.S; ++j) p.k.set(b, g, j, last, k);
  p.layouts.q = p.layouts.k = {};
  return p;
}

/// A power of two, as near to wanted / |scale| as the format takes; 0 if none is in range.
double channel_query(const Problem& p, double wanted) {
  const double quotient = std::fabs(wanted / scale_value(p));
  const double power = std::exp2(std::round(std::log2(quotient)));
  const bool fits = power <= info(p.format).max / 4 && power >= info(p.format).mu;
  return fits ? std::copysign(power, wanted) : 0;
}

bool may_use_bias(const Problem& problem, const Contract& contract) {
  const bool capped_bias =
      problem.softcap > 0 && contract.semantics.cap_order == Semantics::CapOrder::bias_then_cap;
  const bool formats = wide(problem.mask.bias ? problem.mask.bias->format : problem.format) &&
                       (!problem.sinks || wide(problem.sinks->format));
  return !capped_bias && formats && !outside(contract.limits, bias_base(problem));
}

bool may_use_channel(const Problem& p, const Contract&) {
  return p.shape.d_k > 0 && !(p.softcap > 0) && !p.sinks && std::fabs(scale_value(p)) > 0;
}

/// map[0]: 1 for the bias form, 0 for the channel form (which alternate where both are possible).
Plan plan(const Problem& problem, const Contract& contract) {
  const bool bias =
      may_use_bias(problem, contract) &&
      (!may_use_channel(problem, contract) || (problem.shape.L + problem.shape.S) % 2 == 0);
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
  if (!may_use_bias(problem, contract) && !may_use_channel(problem, contract)) {
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
