// no-overflow: where the contract excludes that any intermediate overflows, nothing does. Here for
// case (d) of relations.md rule 1: scores as large as the contract's formats hold without a row
// becoming uncheckable, and values so large that their sum only just fits.
#include <algorithm>
#include <cmath>
#include <optional>
#include <qkvet/check/judge_own.hpp>

#include "properties/list.hpp"
#include "properties/tools.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "no-overflow";

/// docs/bounds.md 6.1: log2 of log2 e < 1.4427, which kernels fold into constants.
constexpr double log2_folded = 0.53;

/// log2 of the sizes of a problem (-infinity: nothing but zeros). The plan only aims with them;
/// what may overflow is the bound's to say.
struct Sizes {
  double scale, q, k, product;  ///< max |q|, max |k|, max sum_c |q_c k_c|
};

double largest(const Tensor& tensor) {
  double most = 0;
  for (const std::uint64_t bits : tensor.bits) {
    most = std::max(most, std::fabs(decode(tensor.format, bits)));
  }
  return most;
}

/// Products are taken of q and k divided by their largest elements: their own might overflow.
Sizes sizes_of(const Problem& p) {
  const double q = largest(p.q), k = largest(p.k);
  double product = 0;
  for_rows(p.shape, [&](auto b, auto h, auto i) {
    for (std::int64_t j = 0; j < p.shape.S && q > 0 && k > 0; ++j) {
      double sum = 0;
      for (std::int64_t c = 0; c < p.shape.d_k; ++c) {
        sum += std::fabs(p.q.value(b, h, i, c) / q) *
               std::fabs(p.k.value(b, p.shape.kv_head(h), j, c) / k);
      }
      product = std::max(product, sum);
    }
  });
  return {std::log2(std::fabs(scale_value(p))), std::log2(q), std::log2(k),
          std::log2(q) + std::log2(k) + std::log2(product)};
}

bool has_scores(const Sizes& sizes) {
  return std::isfinite(sizes.product) && std::isfinite(sizes.scale);
}

/// log2 of the scores up to which a weight of the maximum is near 1, merges through the LSE
/// normalise (docs/bounds.md 4.4 and 6.4) and the bound tells keys apart: an eighth of what their
/// roundings may take. A contract without fused shifts and merges has no such limit, so that every
/// other problem goes on to where its format ends, and only the hull of V decides there.
double score_limit(const Problem& p, const Arithmetic& a) {
  double rounds = 0;
  if (a.shift != Arithmetic::Shift::exact) rounds = 2 * (a.score_rounds + 1);
  if (a.merge != Arithmetic::Merge::none) {
    rounds = std::max(rounds, (a.lse_rounds + a.constant_error) * std::max(1, a.merge_levels));
  }
  if ((p.shape.L + p.shape.S) % 2 != 0) rounds = std::max(rounds, 2.0);
  return std::log2(rounds > 0 ? 1 / (8 * rounds * info(a.score).u) : info(a.score).max);
}

/// Powers of two by which q and k are multiplied.
struct Powers {
  int q = 0, k = 0;
};

/// The largest that keep products, scaled inputs and scores at a quarter of what docs/bounds.md 6
/// lets them be.
Powers largest_powers(const Problem& p, const Arithmetic& a, const Sizes& sizes) {
  const double cap = p.softcap > 0 ? std::max(0.0, 1 - std::log2(p.softcap)) : 0.0;
  double score = std::min(info(a.score).max, info(a.dot).max);
  if (a.score_stores > 0) score = std::min(score, info(a.score_store).max);
  double product = std::log2(score) - 2 - std::max(0.0, log2_folded + sizes.scale + cap);
  if (!(p.softcap > 0)) product = std::min(product, score_limit(p, a) - sizes.scale);
  double side = std::log2(info(p.format).max);
  if (a.scale_side != Arithmetic::ScaleSide::after) {
    const double factor = log2_folded + std::max(sizes.scale, sizes.scale / 2) + cap;
    side = std::min(side, std::log2(info(a.scaled).max) - 2 - factor);
  }
  const int together = static_cast<int>(std::floor(product - sizes.product));
  Powers powers;
  powers.q = std::min(together, static_cast<int>(std::floor(side - sizes.q)));
  powers.k = std::min(together - powers.q, static_cast<int>(std::floor(side - sizes.k)));
  return powers;
}

void multiply(Tensor& tensor, int power) {
  for (std::uint64_t& bits : tensor.bits) {
    bits = encode(tensor.format, std::ldexp(decode(tensor.format, bits), power));
  }
}

void multiply(Problem& p, const Powers& powers) {
  multiply(p.q, powers.q);
  multiply(p.k, powers.k);
  p.layouts.q = p.layouts.k = {};
}

/// V with each column of each head multiplied by the largest power of two that keeps the sum of its
/// |V| and each of them at most 2^sum and 2^each.
void size_values(Problem& p, double sum, double each) {
  const Shape& s = p.shape;
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t g = 0; g < s.H_kv; ++g)
      for (std::int64_t d = 0; d < s.d_v; ++d) {
        double top = 0, shares = 0;
        for (std::int64_t j = 0; j < s.S; ++j) {
          top = std::max(top, std::fabs(p.v.value(b, g, j, d)));
        }
        if (!(top > 0)) continue;
        for (std::int64_t j = 0; j < s.S; ++j) shares += std::fabs(p.v.value(b, g, j, d) / top);
        const double room = std::min(sum - std::log2(shares), each) - std::log2(top);
        const int power = static_cast<int>(std::floor(room));
        for (std::int64_t j = 0; j < s.S; ++j) {
          p.v.set(b, g, j, d, std::ldexp(p.v.value(b, g, j, d), power));
        }
      }
  p.layouts.v = {};
}

/// Scores far beyond the range of exp, with V of size 1. Absent where no power gets there.
std::optional<Problem> large_scores(const Problem& problem, const Arithmetic& a,
                                    const Sizes& sizes) {
  if (!has_scores(sizes)) return std::nullopt;
  const Powers powers = largest_powers(problem, a, sizes);
  const double beyond_exp = 2 * std::log(info(a.score).max);
  if (!(sizes.scale + sizes.product + powers.q + powers.k >= std::log2(beyond_exp))) {
    return std::nullopt;
  }
  Problem p = problem;
  multiply(p, powers);
  size_values(p, std::log2(info(p.format).max), 0);
  return p;
}

/// V so large that the sum of S weighted values only just fits (docs/bounds.md 6.5), with scores
/// that leave each weight its meaning.
std::optional<Problem> large_values(const Problem& problem, const Arithmetic& a,
                                    const Sizes& sizes) {
  if (!(largest(problem.v) > 0)) return std::nullopt;
  Problem p = problem;
  if (has_scores(sizes)) {
    const Powers most = largest_powers(problem, a, sizes);
    multiply(p, {std::min(0, most.q), std::min(0, most.k)});
  }
  // A lazy rescale and a fused shift leave weights above 1; one power more for the roundings.
  const double weight = (a.lazy_rescale + 0.5) * 1.4427 + 1;
  const double out = std::min(info(p.format).max, info(a.out).max);
  size_values(p, std::log2(info(a.accumulator).max) - weight, std::log2(out) - 2);
  return p;
}

bool finite(const Tensor& tensor, bool infinities) {
  return std::all_of(tensor.bits.begin(), tensor.bits.end(), [&](std::uint64_t bits) {
    const double x = decode(tensor.format, bits);
    return std::isfinite(x) || (infinities && x < 0);
  });
}

/// A bias of -inf is a mask.
bool finite(const Problem& p) {
  return finite(p.q, false) && finite(p.k, false) && finite(p.v, false) &&
         (!p.mask.bias || finite(*p.mask.bias, true));
}

Plan plan(const Problem& problem, const Contract& contract) {
  const Sizes sizes = sizes_of(problem);
  Plan plan;
  if (auto p = large_scores(problem, contract.arithmetic, sizes)) {
    plan.runs.push_back({std::move(*p), "scores at the limit"});
  }
  if (auto p = large_values(problem, contract.arithmetic, sizes)) {
    plan.runs.push_back({std::move(*p), "V at the limit"});
  }
  return plan;
}

std::optional<std::string> applies(const Problem& problem, const Contract& contract) {
  if (problem.shape.outputs() == 0 || problem.shape.S == 0) return "it has no weights";
  if (!finite(problem)) return "an input is not finite";
  bool seen = false;
  for_rows(problem.shape, [&](auto b, auto h, auto i) {
    seen = seen || count_seen(problem, contract, b, h, i) > 0;
  });
  if (!seen) return "no row sees a key";
  const Plan planned = plan(problem, contract);
  if (planned.runs.empty()) return "neither its scores nor its values can be made large";
  return outside_limits(planned, contract);
}

Verdict judge(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  const Verdict verdict = ledger.verdict();
  bool decided = !std::holds_alternative<Pass>(verdict);
  for (const Exhibit& exhibit : exhibits) {
    for (const Place& place : exhibit.admissible.o) {
      decided = decided || place.kind == PlaceKind::checked || place.kind == PlaceKind::hull;
    }
  }
  if (decided) return verdict;
  return Undecided{"the contract lets every row overflow at this size", tally_of(verdict)};
}

}  // namespace

constinit const Property no_overflow{
    name,
    "Where the contract excludes overflow of every intermediate, the output is finite: scores and "
    "values at the limits of their formats.",
    applies,
    plan,
    judge,
    every_impostor,
    nullptr,
    "values_accumulated_high"};

}  // namespace qkvet
