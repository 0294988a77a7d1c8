// overflow: outputs stay finite wherever the contract excludes overflow, with scores up to the
// format's limit and V up to max / (2 S).
#include <cmath>

#include "fuzz/kernel_target.hpp"

namespace qkvet::fuzz {
namespace {

Domain finite(Domain domain) {
  domain.nonfinite = Allow::never;
  domain.B.min = domain.H_q.min = domain.H_kv.min = domain.L.min = domain.S.min = 1;
  domain.d_k.min = domain.d_v.min = 1;
  return domain;
}

double largest(const Tensor& tensor) {
  double most = 0;
  for (const std::uint64_t bits : tensor.bits)
    most = std::max(most, std::fabs(decode(tensor.format, bits)));
  return most;
}

/// Multiplies by the power of two that brings the largest value below `limit`, and near it.
void stretch(Tensor& tensor, double limit) {
  const double most = largest(tensor);
  if (!(most > 0) || !(limit > 0) || !std::isfinite(most)) return;
  const int power = std::ilogb(limit) - std::ilogb(most) - 1;
  for (std::uint64_t& bits : tensor.bits) {
    bits = encode(tensor.format, std::ldexp(decode(tensor.format, bits), power));
  }
}

/// An upper bound of |scale * q . k| for q and k of these sizes.
double score_bound(const Problem& p) {
  return std::fabs(scale_value(p)) * static_cast<double>(p.shape.d_k) * largest(p.q) * largest(p.k);
}

/// Ways: scores as drawn, at 100, at 10,000, at the format's limit; each with V as drawn or large.
constexpr std::uint64_t ways = 8;

void adjust(Problem& problem, const Contract&, std::uint64_t way) {
  const double most = info(problem.format).max;
  const double scores[] = {0, 100, 1e4, std::sqrt(most)};
  const double wanted = scores[way % 4];
  const double now = score_bound(problem);
  if (wanted > 0 && now > 0) {
    stretch(problem.q, std::min(largest(problem.q) * (wanted / now), std::sqrt(most)));
  }
  if (way >= 4) stretch(problem.v, most / (2 * static_cast<double>(problem.shape.S)));
  problem.layouts.q = problem.layouts.v = {};  // strides of 0 speak of values as they were
}

void judge(Subject& subject, const Contract& contract, const Problem& problem, std::uint64_t) {
  const Seen& seen = subject.call().run(problem, contract);
  bool looks_right = seen.status == RunStatus::ok && !seen.faults;
  for (const double x : seen.o) looks_right = looks_right && std::isfinite(x);
  if (!looks_right) must_hold(subject, problem, "matches-reference");
}

}  // namespace

const KernelTarget kernel_target{"overflow", finite, ways, adjust, judge};

}  // namespace qkvet::fuzz
