// signed-zero: -0 is 0. Here for cases (a) and (d) of relations.md rule 1: bits where the contract
// promises them under changes of sign, and zeros of both signs, which are hardly drawn. Outputs are
// compared by value: the sign of a zero output may change.
#include <cmath>
#include <qkvet/check/judge_own.hpp>
#include <qkvet/check/meet.hpp>

#include "properties/list.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "signed-zero";

/// Every zero of the tensor and a third of its finite elements become `zero`.
void put_zeros(Tensor& tensor, double zero, Choices& choices) {
  for (std::uint64_t& bits : tensor.bits) {
    const double x = decode(tensor.format, bits);
    const bool chosen = choices.chance(1, 3);
    if (std::fabs(x) <= 0 || (chosen && std::isfinite(x))) bits = encode(tensor.format, zero);
  }
}

/// A whole query of zeros before keys that are not negative: with -0 every product of its scores,
/// and so every score of the row that is summed without a +0, is -0.
void put_zero_scores(Problem& p, double zero, Choices& choices) {
  const Shape& s = p.shape;
  const std::int64_t b = choices.between(0, s.B - 1), h = choices.between(0, s.H_q - 1);
  for (std::int64_t i = 0; i < s.L; ++i) {
    if (s.L > 1 && choices.chance(1, 2)) continue;
    for (std::int64_t c = 0; c < s.d_k; ++c) p.q.set(b, h, i, c, zero);
  }
  const std::int64_t g = s.kv_head(h);
  for (std::int64_t j = 0; j < s.S; ++j) {
    for (std::int64_t c = 0; c < s.d_k; ++c) {
      p.k.set(b, g, j, c, std::fabs(p.k.value(b, g, j, c)));
    }
  }
}

Problem with_zeros(const Problem& problem, double zero) {
  Problem p = problem;
  Choices choices = choices_of(name);
  for (Tensor* tensor : {&p.q, &p.k, &p.v}) put_zeros(*tensor, zero, choices);
  if (p.mask.bias) put_zeros(*p.mask.bias, zero, choices);
  if (p.sinks) put_zeros(*p.sinks, zero, choices);
  // Both forms need the keys' signs: they alternate.
  if ((p.shape.L + p.shape.S) % 2 == 0) put_zero_scores(p, zero, choices);
  p.layouts.q = p.layouts.k = p.layouts.v = p.layouts.bias = {};
  return p;
}

Plan plan(const Problem& problem, const Contract&) {
  return {{{with_zeros(problem, 0.0), "zeros of sign +"},
           {with_zeros(problem, -0.0), "zeros of sign -"}},
          {}};
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  if (problem.shape.outputs() == 0 || problem.shape.S == 0) return "it has no weights";
  return outside_limits(plan(problem, contract), contract);
}

Verdict judge(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  const auto same = [](const PlaceIndex& at) { return at; };
  relate(ledger, exhibits[0].contract->promises.symmetric, exhibits[0], exhibits[1], same);
  return ledger.verdict();
}

}  // namespace

constinit const Property signed_zero{
    name,
    "Zeros of either sign in q, k, v, bias and sinks give the same outputs, but for the sign of "
    "outputs that are zero.",
    applies,
    plan,
    judge,
    every_impostor,
    nullptr,
    "maximum_by_integers"};

}  // namespace qkvet
