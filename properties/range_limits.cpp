// range-limits: what holds in the middle of a format's range holds at both of its ends. Here for
// cases (b) and (d) of relations.md rule 1: values, queries and keys of sizes that are not drawn, and
// outputs there that follow from those of the middle.
#include <algorithm>
#include <cmath>
#include <qkvet/oracle/outward.hpp>

#include "properties/family.hpp"
#include "properties/images.hpp"
#include "properties/list.hpp"
#include "properties/rewrites.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "range-limits";

/// V of small integers, q and k on the grid of relations.md rule 7.
Problem middle(const Problem& problem) {
  Problem p = problem;
  Choices choices = choices_of(name);
  set_values(p, [&](auto, auto, auto, auto) {
    return static_cast<double>(choices.between(1, 63)) * (choices.chance(1, 2) ? -1 : 1);
  });
  to_sum_grid(p.q);
  to_sum_grid(p.k);
  p.layouts.q = p.layouts.k = {};
  return p;
}

void times_power(Tensor& tensor, int power) {
  for (std::uint64_t& bits : tensor.bits) {
    bits = encode(tensor.format, std::ldexp(decode(tensor.format, bits), power));
  }
}

/// The power that takes 1 to the smallest subnormal number: small integers stay exact.
int lowest_power(Format format) { return std::ilogb(info(format).eta); }

/// The power that takes 63 as high as a sum of S of them allows, with weights of e^lazy_rescale.
int highest_power(const Problem& p, const Contract& contract) {
  const double sum = std::log2(static_cast<double>(p.shape.S + 2)) +
                     1.4427 * contract.arithmetic.lazy_rescale;
  return info(p.format).e_max - 8 - static_cast<int>(std::ceil(sum));
}

/// From k to q: the grid's 2^-6 goes to the smallest normal number, its 2^4 no higher than the
/// format and a scale folded into q allow (docs/bounds.md 6.1: a factor below 2 besides).
int moved_power(const Problem& p) {
  const double scale = std::fmax(std::fabs(scale_value(p)), 1);
  const int room = info(p.format).e_max - 7 - static_cast<int>(std::ceil(std::log2(scale)));
  return std::min(-info(p.format).e_min - 6, room);
}

/// map: the power of each run's V.
Plan plan(const Problem& problem, const Contract& contract) {
  Problem base = middle(problem);
  Plan plan{{{base, ""}}, {0}};
  const auto with_values = [&](int power, const char* role) {
    Problem p = base;
    times_power(p.v, power);
    plan.runs.push_back({std::move(p), role});
    plan.map.push_back(power);
  };
  with_values(lowest_power(base.format), "V at the lower end");
  with_values(highest_power(base, contract), "V at the upper end");
  const int power = moved_power(base);
  if (problem.shape.d_k > 0 && power >= 2) {
    times_power(base.q, power);
    times_power(base.k, -power);
    plan.runs.push_back({std::move(base), "q at the upper end, k at the lower"});
    plan.map.push_back(0);
  }
  return plan;
}

std::optional<std::string> when_range(const Problem& p, const Contract&) {
  if (!has_finite_values(p.q) || !has_finite_values(p.k)) return "q or k is not finite";
  return no_small_weights(p);
}

Verdict judge(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  for (std::size_t run = 1; run < exhibits.size(); ++run) {
    const double factor = std::ldexp(1, static_cast<int>(plan.map[run]));
    for_places(exhibits[run].run->problem.shape, true, [&](const PlaceIndex& at) {
      const Spot from{&exhibits[0], at};
      const Spot to{&exhibits[run], at};
      if (!from.present() || !to.present()) return;
      const auto x = seen(from);
      if (!x) return;
      const double by = at.c < 0 ? 1 : factor;
      const auto scaled = [by](const Interval& o) { return outward::mul(o, {by, by}); };
      meet_image(ledger, to, image(scaled, *x), "the output of the middle, times a power of two");
    });
  }
  return ledger.verdict();
}

}  // namespace

constinit const Property range_limits{
    name,
    "What holds in the middle of a format's range holds at both of its ends.",
    applies_when<when_range, plan>,
    plan,
    judge,
    every_impostor,
    nullptr,
    "tiny_keys_dropped"};

}  // namespace qkvet
