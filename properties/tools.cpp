#include "properties/tools.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <qkvet/check/free.hpp>
#include <qkvet/check/judge_own.hpp>
#include <qkvet/num/error.hpp>

#include "properties/rewrites.hpp"

namespace qkvet {
namespace {

using Extents = std::array<std::int64_t, 4>;

/// Visits the places of a tensor of these extents in row-major order.
template <class Visit>
void for_extents(const Extents& e, const Visit& visit) {
  for (std::int64_t a = 0; a < e[0]; ++a)
    for (std::int64_t b = 0; b < e[1]; ++b)
      for (std::int64_t c = 0; c < e[2]; ++c)
        for (std::int64_t d = 0; d < e[3]; ++d) visit(a, b, c, d);
}

}  // namespace

Choices choices_of(std::string_view property) {
  std::uint64_t seed = 0;
  for (const char letter : property) seed = mix(seed ^ static_cast<unsigned char>(letter));
  return Choices::from_seed(seed);
}

std::optional<std::string> outside_limits(const Plan& plan, const Contract& contract) {
  for (const PlannedRun& run : plan.runs) {
    if (auto why = outside(contract.limits, run.problem)) {
      return (run.role.empty() ? "" : "run '" + run.role + "': ") + *why;
    }
  }
  return std::nullopt;
}

bool sees(const Problem& problem, const Contract& contract, std::int64_t b, std::int64_t h,
          std::int64_t i, std::int64_t j) {
  const bool capped_bias =
      problem.softcap > 0 && contract.semantics.cap_order == Semantics::CapOrder::bias_then_cap;
  return capped_bias ? visible_without_bias(problem, b, h, i, j) : visible(problem, b, h, i, j);
}

std::int64_t count_seen(const Problem& problem, const Contract& contract, std::int64_t b,
                        std::int64_t h, std::int64_t i) {
  std::int64_t n = 0;
  for (std::int64_t j = 0; j < problem.shape.S; ++j) n += sees(problem, contract, b, h, i, j);
  return n;
}

void for_rows(const Shape& shape,
              const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& visit) {
  for (std::int64_t b = 0; b < shape.B; ++b)
    for (std::int64_t h = 0; h < shape.H_q; ++h)
      for (std::int64_t i = 0; i < shape.L; ++i) visit(b, h, i);
}

void set_values(
    Problem& p,
    const std::function<double(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>& value) {
  for_extents(p.v.extents,
              [&](auto b, auto g, auto j, auto d) { p.v.set(b, g, j, d, value(b, g, j, d)); });
  p.layouts.v = {};
}

Problem slice_rows(const Problem& problem, std::int64_t from, std::int64_t count) {
  Problem p = take_rows(fixed(problem), indices(from, count));
  if (diagonal_matters(problem)) {
    for (std::int64_t& offset : p.mask.diagonal.offsets) offset += from;
  }
  return p;
}

Problem with_explicit_keys(const Problem& problem) {
  if (!diagonal_matters(problem) && !problem.mask.key_range) return problem;
  Problem p = make_explicit(problem).problem;
  p.mask.diagonal = {};
  if (problem.alibi_slopes) {
    // Both sides of a relation start from this rewrite, so rounding the bias here costs nothing.
    for (std::uint64_t& bits : p.mask.bias->bits) {
      bits = encode(p.format, decode(p.mask.bias->format, bits));
    }
    p.mask.bias->format = p.format;
  }
  return p;
}

Problem permute_keys(const Problem& problem, const std::vector<std::int64_t>& order) {
  QKVET_ASSERT(!diagonal_matters(problem) && !problem.mask.key_range);
  Problem p = problem;
  take(p.k, 2, order);
  take(p.v, 2, order);
  take_masks(p, 3, problem.shape.S, order);
  p.layouts.k = p.layouts.v = {};
  return p;
}

std::vector<std::int64_t> permutation(Choices& choices, std::int64_t n) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t at = order.size(); at > 1; --at) {
    std::swap(order[at - 1], order[choices.below(at)]);
  }
  if (std::is_sorted(order.begin(), order.end())) std::reverse(order.begin(), order.end());
  return order;
}

void own_everywhere(Ledger& ledger, std::span<const Exhibit> exhibits) {
  for (const Exhibit& exhibit : exhibits) judge_own(ledger, exhibit);
}

void judge_constant(Ledger& ledger, const Spot& spot, const Interval& exact, std::int64_t n,
                    double magnitude, double scores, std::string_view why) {
  const Problem& problem = spot.exhibit->run->problem;
  const double radius = constant_radius(spot.exhibit->contract->arithmetic, problem.shape, n,
                                        magnitude, scores, has_sink(problem, spot.at.h));
  if (std::isfinite(radius)) return judge_free(ledger, spot, exact, radius, why);
  expect_enclosure(spot, exact, why);
}

std::optional<std::string> hides_nothing(const Problem& problem, const Contract& contract) {
  if (problem.shape.outputs() == 0) return "it has no outputs";
  bool found = false;
  for_rows(problem.shape, [&](auto b, auto h, auto i) {
    const std::int64_t n = found ? 0 : count_seen(problem, contract, b, h, i);
    found = found || (n > 0 && n < problem.shape.S);
  });
  if (found) return std::nullopt;
  return "no row hides a key and sees another";
}

}  // namespace qkvet
