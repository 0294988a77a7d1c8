// value-power-of-two, value-negation, value-linearity, value-shift: O is linear in V. Here for
// cases (a), (c) and (d) of relations.md rule 1: bits where the contract promises symmetry, values
// that are not drawn, and results that follow from other runs.
#include <cmath>
#include <qkvet/oracle/outward.hpp>

#include "properties/family.hpp"
#include "properties/images.hpp"
#include "properties/list.hpp"
#include "properties/rewrites.hpp"

namespace qkvet {
namespace {

constexpr std::string_view power_name = "value-power-of-two";
constexpr std::string_view negation_name = "value-negation";
constexpr std::string_view linearity_name = "value-linearity";
constexpr std::string_view shift_name = "value-shift";

/// V := f(V), element by element.
template <class F>
Problem with_values(const Problem& problem, const F& f) {
  Problem p = problem;
  for (std::uint64_t& bits : p.v.bits) bits = encode(p.format, f(decode(p.format, bits)));
  p.layouts.v = {};
  return p;
}

std::optional<std::string> when_finite(const Problem& p, const Contract&) {
  if (!has_finite_values(p.v)) return "a value is not finite";
  return no_weights(p);
}

// --- powers of two

constexpr int powers[] = {20, -20, 3};

/// True if every number of V times 2^power is a number of the format, and far enough from its
/// largest one for a sum of S of them.
bool scales_exactly(const Problem& p, int power) {
  const double room = info(p.format).max / (4 * static_cast<double>(p.shape.S + 1));
  for (const std::uint64_t bits : p.v.bits) {
    const double x = decode(p.format, bits);
    const double y = std::ldexp(x, power);
    if (!is_exact(p.format, y) || !(std::fabs(y) <= room) || !(std::fabs(x) <= room)) return false;
    if (std::fabs(x) > 0 && std::fabs(y) < info(p.format).mu) return false;
    if (std::fabs(x) > 0 && std::fabs(x) < info(p.format).mu) return false;
  }
  return true;
}

/// map: the power of each later run.
Plan plan_power(const Problem& problem, const Contract&) {
  Plan plan{{{problem, ""}}, {}};
  for (const int power : powers) {
    if (!scales_exactly(problem, power) || plan.map.size() == 2) continue;
    plan.map.push_back(power);
    plan.runs.push_back({with_values(problem, [power](double x) { return std::ldexp(x, power); }),
                         "V times 2^" + std::to_string(power)});
  }
  return plan;
}

std::optional<std::string> when_power(const Problem& p, const Contract& contract) {
  if (const auto why = when_finite(p, contract)) return why;
  if (plan_power(p, contract).map.empty()) return "V times a power of two is out of range";
  return std::nullopt;
}

/// The smallest size at which nothing of the arithmetic underflows.
double smallest_normal(const Contract& contract) {
  const Arithmetic& a = contract.arithmetic;
  double mu = info(contract.format).mu;
  for (const Format format : {a.accumulator, a.weight, a.part, a.out, a.score}) {
    mu = std::fmax(mu, info(format).mu);
  }
  return mu;
}

/// Bits are promised only where each weight times each value stays normal on both sides: where no
/// score comes near the range of exp.
bool power_keeps_bits(const Contract& contract, const Problem& base, int power) {
  if (!contract.promises.symmetric || contract.arithmetic.flushes) return false;
  double least = 1;
  for (const std::uint64_t bits : base.v.bits) {
    const double x = std::fabs(decode(base.format, bits));
    if (x > 0) least = std::fmin(least, x);
  }
  const double spread = 2 * rough_score_size(base) * 1.4427 + 8;
  const double floor = std::log2(least) + std::fmin(power, 0) - spread;
  return floor >= std::log2(smallest_normal(contract)) + 16;
}

void judge_scaled(Ledger& ledger, const Exhibit& from, const Exhibit& to, double factor, bool bits,
                  double normal) {
  const std::string_view why = "the same output times the factor of V";
  for_places(to.run->problem.shape, false, [&](const PlaceIndex& at) {
    const Spot a{&from, at};
    const Spot b{&to, at};
    const auto x = seen(a);
    if (!x || b.place().kind != PlaceKind::checked) return;
    const Seen scaled = image(
        [factor](const Interval& i) {
          const double p = i.lo * factor, q = i.hi * factor;
          return Interval{std::fmin(p, q), std::fmax(p, q)};
        },
        *x);
    meet_image(ledger, b, scaled, why);
    const double expected = a.got() * factor;
    const bool normal_both = std::fabs(a.got()) >= normal && std::fabs(expected) >= normal;
    if (bits && normal_both) equal_number(ledger, b, expected, scaled, why);
  });
}

/// The LSE has nothing to do with V.
void judge_same_lse(Ledger& ledger, const Exhibit& from, const Exhibit& to) {
  const bool bits = from.contract->promises.weights_from_scores;
  relate(ledger, bits, from, to, [](const PlaceIndex& at) -> std::optional<PlaceIndex> {
    if (at.c >= 0) return std::nullopt;
    return at;
  });
}

Verdict judge_power(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(power_name);
  own_everywhere(ledger, exhibits);
  const Exhibit& base = exhibits[0];
  for (std::size_t run = 1; run < exhibits.size(); ++run) {
    const int power = static_cast<int>(plan.map[run - 1]);
    const bool bits = power_keeps_bits(*base.contract, base.run->problem, power);
    judge_scaled(ledger, base, exhibits[run], std::ldexp(1, power), bits,
                 smallest_normal(*base.contract));
    judge_same_lse(ledger, base, exhibits[run]);
  }
  return ledger.verdict();
}

// --- negation

Plan plan_negation(const Problem& problem, const Contract&) {
  return {{{problem, ""}, {with_values(problem, [](double x) { return -x; }), "V negated"}}, {}};
}

Verdict judge_negation(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(negation_name);
  own_everywhere(ledger, exhibits);
  const bool bits = exhibits[0].contract->promises.symmetric;
  judge_scaled(ledger, exhibits[0], exhibits[1], -1, bits, 0);
  judge_same_lse(ledger, exhibits[0], exhibits[1]);
  return ledger.verdict();
}

// --- linearity

Plan plan_linearity(const Problem& problem, const Contract&) {
  Problem first = problem;
  to_sum_grid(first.v);
  first.layouts.v = {};
  Choices choices = choices_of(linearity_name);
  Problem second = with_values(first, [&](double) { return on_sum_grid(problem.format, choices); });
  Problem sum = first;
  for (std::size_t n = 0; n < sum.v.bits.size(); ++n) {
    sum.v.bits[n] = encode(
        sum.format, decode(sum.format, first.v.bits[n]) + decode(sum.format, second.v.bits[n]));
  }
  return {{{std::move(first), ""}, {std::move(second), "another V"}, {std::move(sum), "their sum"}},
          {}};
}

Verdict judge_linearity(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(linearity_name);
  own_everywhere(ledger, exhibits);
  for_places(exhibits[0].run->problem.shape, false, [&](const PlaceIndex& at) {
    const auto a = seen({&exhibits[0], at});
    const auto b = seen({&exhibits[1], at});
    if (!a || !b) return;
    meet_image(ledger, {&exhibits[2], at}, image(outward::add, *a, *b),
               "the sum of the outputs for two V is the output for their sum");
  });
  judge_same_lse(ledger, exhibits[0], exhibits[1]);
  judge_same_lse(ledger, exhibits[0], exhibits[2]);
  return ledger.verdict();
}

// --- shift

double shift_of(Format format) { return format == Format::bfloat16 ? 1 : 8; }

/// Without a sink the weights sum to 1; with one their sum is the output for V = 1.
Plan plan_shift(const Problem& problem, const Contract&) {
  Problem base = problem;
  to_sum_grid(base.v);
  base.layouts.v = {};
  const double shift = shift_of(problem.format);
  Plan plan{{{base, ""}, {with_values(base, [shift](double x) { return x + shift; }), "V shifted"}},
            {}};
  if (problem.sinks) plan.runs.push_back({with_values(base, [](double) { return 1.0; }), "V = 1"});
  return plan;
}

std::optional<std::string> when_shift(const Problem& p, const Contract& contract) {
  if (const auto why = when_finite(p, contract)) return why;
  Tensor shifted = p.v;
  to_sum_grid(shifted);
  for (const std::uint64_t bits : shifted.bits) {
    if (!is_exact(p.format, decode(p.format, bits) + shift_of(p.format))) {
      return "V + c is not a number of the format";
    }
  }
  return std::nullopt;
}

Verdict judge_shift(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(shift_name);
  own_everywhere(ledger, exhibits);
  const Problem& p = exhibits[0].run->problem;
  const Contract& contract = *exhibits[0].contract;
  const double shift = shift_of(p.format);
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    if (count_seen(p, contract, b, h, i) == 0) return;
    for (std::int64_t c = 0; c < p.shape.d_v; ++c) {
      const PlaceIndex at{b, h, i, c};
      const auto base = seen({&exhibits[0], at});
      const auto sum = has_sink(p, h) ? seen({&exhibits[2], at}) : known(1);
      if (!base || !sum) continue;
      const auto f = [shift](const Interval& o, const Interval& w) {
        return outward::add(o, outward::mul(w, {shift, shift}));
      };
      meet_image(ledger, {&exhibits[1], at}, image(f, *base, *sum),
                 "the output plus the shift of V times the sum of the weights");
    }
  });
  judge_same_lse(ledger, exhibits[0], exhibits[1]);
  return ledger.verdict();
}

}  // namespace

constinit const Property value_power_of_two{
    power_name,
    "V times a power of two gives O times it and the same LSE.",
    applies_when<when_power, plan_power>,
    plan_power,
    judge_power,
    every_impostor,
    nullptr,
    "tiny_values_dropped"};

constinit const Property value_negation{negation_name,
                                        "-V gives -O and the same LSE.",
                                        applies_when<when_finite, plan_negation>,
                                        plan_negation,
                                        judge_negation,
                                        every_impostor,
                                        nullptr,
                                        "outputs_rounded_up"};

constinit const Property value_linearity{
    linearity_name,
    "The outputs for two V add up to the output for the sum of both.",
    applies_when<when_finite, plan_linearity>,
    plan_linearity,
    judge_linearity,
    every_impostor,
    nullptr,
    "outputs_clamped"};

constinit const Property value_shift{
    shift_name,
    "A constant added to V is added to O, times the sum of the weights.",
    applies_when<when_shift, plan_shift>,
    plan_shift,
    judge_shift,
    every_impostor,
    nullptr,
    "values_about_their_first"};

}  // namespace qkvet
