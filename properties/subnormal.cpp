// subnormal: numbers below the smallest normal one count, unless the contract lets them be flushed.
// Here for case (d) of relations.md rule 1: values that are all subnormal, so that a flush gives 0,
// and scores that rest on subnormal queries and keys alone, so that a flush makes them equal.
#include <algorithm>
#include <cmath>
#include <qkvet/check/judge_own.hpp>

#include "properties/list.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "subnormal";

/// A subnormal number of the format, at least a quarter of the smallest normal one.
double subnormal_number(Format format, Choices& choices) {
  const std::int64_t normal = std::int64_t{1} << (info(format).precision - 1);
  return static_cast<double>(choices.between(normal / 4, normal - 1)) * info(format).eta;
}

/// Values of one sign per column: they do not cancel.
Problem subnormal_values(const Problem& problem) {
  Problem p = problem;
  Choices choices = choices_of(name);
  std::vector<double> signs;
  for (std::int64_t d = 0; d < p.shape.d_v; ++d) signs.push_back(choices.chance(1, 2) ? -1 : 1);
  set_values(p, [&](auto, auto, auto, auto d) {
    return signs[static_cast<std::size_t>(d)] * subnormal_number(p.format, choices);
  });
  return p;
}

/// The power of two that turns subnormal numbers into scores of size 1, as far as the format and a
/// folded constant take it (docs/bounds.md 6.1 and 6.2).
int partner(const Problem& p) {
  const double scale = std::fabs(scale_value(p));
  const double folded = std::max(1.0, scale) * (p.softcap > 0 ? std::max(1.0, 2 / p.softcap) : 1.0);
  const int wanted = 2 - info(p.format).e_min - static_cast<int>(std::floor(std::log2(scale)));
  return std::min(wanted,
                  info(p.format).e_max - 3 - static_cast<int>(std::ceil(std::log2(folded))));
}

/// True if scores made of subnormal numbers still tell keys apart.
bool scores_count(const Problem& p) {
  const double scale = std::fabs(scale_value(p));
  if (p.shape.d_k == 0 || !(scale > 0)) return false;
  return std::ldexp(scale, partner(p) + info(p.format).e_min) >= 0x1p-4;
}

/// Even channels: subnormal q times a large power of two in k; odd channels the other way round.
Problem subnormal_scores(const Problem& problem) {
  Problem p = problem;
  Choices choices = choices_of(name);
  const double large = std::ldexp(1.0, partner(p));
  const auto fill = [&](Tensor& tensor, std::size_t small_channel) {
    for (std::size_t n = 0; n < tensor.bits.size(); ++n) {
      const std::size_t channel = n % static_cast<std::size_t>(p.shape.d_k);
      const double x = channel % 2 == small_channel ? subnormal_number(p.format, choices) : large;
      tensor.bits[n] = encode(tensor.format, choices.chance(1, 2) ? -x : x);
    }
  };
  fill(p.q, 0);
  fill(p.k, 1);
  set_values(p, [&](auto, auto, auto, auto) {
    return static_cast<double>(choices.between(-255, 255)) / 64;
  });
  p.layouts.q = p.layouts.k = {};
  return p;
}

Plan plan(const Problem& problem, const Contract&) {
  Plan plan{{{subnormal_values(problem), "subnormal V"}}, {}};
  if (scores_count(problem)) {
    plan.runs.push_back({subnormal_scores(problem), "subnormal q and k"});
  }
  return plan;
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  if (problem.shape.outputs() == 0 || problem.shape.S == 0) return "it has no weights";
  return outside_limits(plan(problem, contract), contract);
}

Verdict judge(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  return ledger.verdict();
}

}  // namespace

constinit const Property subnormal{
    name,
    "Subnormal numbers in q, k, v and the output count as any others, unless the contract lets "
    "them be flushed to zero.",
    applies,
    plan,
    judge,
    every_impostor,
    nullptr,
    "subnormal_values_are_zero"};

}  // namespace qkvet
