// negate-q-and-k, scale-fold, zero-channels, orthogonal-basis: maps of q, k and the scale that
// leave every score. Here for cases (a) and (d) of relations.md rule 1: bits where symmetry and
// channels are promised, and inputs that are not drawn.
#include <algorithm>
#include <cmath>

#include "properties/family.hpp"
#include "properties/list.hpp"
#include "properties/rewrites.hpp"

namespace qkvet {
namespace {

constexpr std::string_view signs_name = "negate-q-and-k";
constexpr std::string_view fold_name = "scale-fold";
constexpr std::string_view zero_name = "zero-channels";
constexpr std::string_view basis_name = "orthogonal-basis";

std::optional<std::string> when_channels(const Problem& p, const Contract&) {
  if (p.shape.d_k < 1) return "it has no channel";
  return no_weights(p);
}

/// Changes an element by f(x, channel).
template <class F>
void map_channels(Tensor& tensor, const F& f) {
  const auto width = static_cast<std::size_t>(tensor.extents[3]);
  for (std::size_t n = 0; n < tensor.bits.size(); ++n) {
    const double x = decode(tensor.format, tensor.bits[n]);
    tensor.bits[n] = encode(tensor.format, f(x, n % width));
  }
}

// --- signs

Plan plan_signs(const Problem& problem, const Contract&) {
  const auto with = [&](bool every) {
    Problem p = problem;
    for (Tensor* tensor : {&p.q, &p.k}) {
      map_channels(*tensor, [every](double x, std::size_t c) { return every || c % 2 ? -x : x; });
    }
    p.layouts.q = p.layouts.k = {};
    return p;
  };
  return {{{problem, ""}, {with(true), "q and k negated"}, {with(false), "odd channels negated"}},
          {}};
}

// --- powers of two moved between q, k and the scale

struct Sizes {
  double least = 0, most = 0;  ///< powers of two of the finite elements that are not 0
  bool normal = true;
};

Sizes sizes_of(const Tensor& tensor) {
  Sizes sizes;
  bool first = true;
  for (const std::uint64_t bits : tensor.bits) {
    const double x = std::fabs(decode(tensor.format, bits));
    if (x <= 0) continue;
    sizes.normal = sizes.normal && x >= info(tensor.format).mu;
    const double power = std::log2(x);
    sizes.least = first ? power : std::fmin(sizes.least, power);
    sizes.most = first ? power : std::fmax(sizes.most, power);
    first = false;
  }
  return sizes;
}

constexpr int fold = 4;  // even: exact where the root of the scale goes to both sides

bool takes_power(const Tensor& tensor, const Sizes& sizes, int power) {
  const FormatInfo& format = info(tensor.format);
  return sizes.normal && sizes.least + power >= std::log2(format.mu) + 1 &&
         sizes.most + power <= std::log2(format.max) - 2;
}

Problem with_powers(const Problem& problem, int q, int k) {
  Problem p = problem;
  map_channels(p.q, [q](double x, std::size_t) { return std::ldexp(x, q); });
  map_channels(p.k, [k](double x, std::size_t) { return std::ldexp(x, k); });
  p.layouts.q = p.layouts.k = {};
  return p;
}

Plan plan_fold(const Problem& problem, const Contract& contract) {
  const Problem base = with_explicit_scale(problem);
  const bool explicit_scale = !outside(contract.limits, base);
  Plan plan{{{explicit_scale ? base : problem, ""}}, {}};
  const Sizes q = sizes_of(problem.q), k = sizes_of(problem.k);
  const int up = (problem.shape.L + problem.shape.S) % 2 == 0 ? fold : -fold;
  const double scale = std::fabs(scale_value(problem));
  if (explicit_scale && scale >= 0x1p-60 && scale <= 0x1p60 && takes_power(problem.q, q, up)) {
    Problem p = with_powers(base, up, 0);
    p.scale = std::ldexp(*base.scale, -up);
    plan.runs.push_back({std::move(p), "a power of two moved from the scale to q"});
  }
  if (takes_power(problem.q, q, up) && takes_power(problem.k, k, -up)) {
    plan.runs.push_back(
        {with_powers(plan.runs[0].problem, up, -up), "a power of two moved from k to q"});
  }
  return plan;
}

std::optional<std::string> when_fold(const Problem& p, const Contract& contract) {
  if (const auto why = when_channels(p, contract)) return why;
  if (!has_finite_inputs(p)) return "an input is not finite";
  if (plan_fold(p, contract).runs.size() < 2) return "no power of two can be moved exactly";
  return std::nullopt;
}

/// Bits are promised only where no product or scaled input comes near underflow, on either side.
bool fold_keeps_bits(const Problem& p, const Contract& contract) {
  const Arithmetic& a = contract.arithmetic;
  if (!contract.promises.symmetric || a.flushes) return false;
  double mu = 0;
  for (const Format format : {a.dot, a.scaled, a.score, a.score_store}) {
    mu = std::fmax(mu, info(format).mu);
  }
  const double scale = std::log2(std::fabs(scale_value(p)));
  const double q = sizes_of(p.q).least, k = sizes_of(p.k).least;
  const double least = std::fmin(std::fmin(q + k, std::fmin(q, k)), q + k + std::fmin(scale, 0));
  // 52: a sum that cancels keeps every digit of its products.
  return least - 2 * fold - std::fabs(scale) >= std::log2(mu) + 52;
}

Verdict judge_fold(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(fold_name);
  own_everywhere(ledger, exhibits);
  const bool bits = fold_keeps_bits(exhibits[0].run->problem, *exhibits[0].contract);
  const auto same = [](const PlaceIndex& at) { return at; };
  for (const Exhibit& other : exhibits.subspan(1)) relate(ledger, bits, exhibits[0], other, same);
  return ledger.verdict();
}

// --- channels that add nothing

/// `count` channels of zeros, or with something in k, behind the others.
Problem with_channels(const Problem& base, std::int64_t count, bool garbage) {
  const std::int64_t d_k = base.shape.d_k;
  Problem p = base;
  Indices channels = indices(0, d_k);
  channels.resize(static_cast<std::size_t>(d_k + count), 0);
  take(p.q, 3, channels);
  take(p.k, 3, channels);
  Choices choices = choices_of(zero_name);
  const auto added = static_cast<std::size_t>(d_k);
  map_channels(p.q, [added](double x, std::size_t c) { return c < added ? x : 0.0; });
  map_channels(p.k, [&](double x, std::size_t c) {
    if (c < added) return x;
    return garbage ? static_cast<double>(choices.between(-255, 255)) / 64 : 0.0;
  });
  p.shape.d_k = d_k + count;
  p.layouts.q = p.layouts.k = {};
  return p;
}

Plan plan_zero(const Problem& problem, const Contract&) {
  const Problem base = with_explicit_scale(problem);
  const std::int64_t counts[] = {1, 3, 8};
  const std::int64_t count = counts[(problem.shape.S + problem.shape.d_v) % 3];
  return {{{base, ""},
           {with_channels(base, count, false), "channels of zeros"},
           {with_channels(base, count, true), "channels that are 0 in q only"}},
          {}};
}

Verdict judge_zero(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(zero_name);
  own_everywhere(ledger, exhibits);
  const auto same = [](const PlaceIndex& at) { return at; };
  relate(ledger, exhibits[0].contract->promises.channels, exhibits[0], exhibits[1], same);
  relate(ledger, false, exhibits[0], exhibits[2], same);
  return ledger.verdict();
}

// --- another basis

/// Pairs of channels become sum and difference, a last single one of q is doubled: every q.k
/// doubles, exactly on the grid.
void rotate(Tensor& tensor, bool doubles) {
  const auto width = static_cast<std::size_t>(tensor.extents[3]);
  for (std::size_t row = 0; row < tensor.bits.size(); row += width) {
    for (std::size_t c = 0; c + 1 < width; c += 2) {
      const double a = decode(tensor.format, tensor.bits[row + c]);
      const double b = decode(tensor.format, tensor.bits[row + c + 1]);
      tensor.bits[row + c] = encode(tensor.format, a + b);
      tensor.bits[row + c + 1] = encode(tensor.format, a - b);
    }
    if (width % 2 == 0 || !doubles) continue;
    std::uint64_t& last = tensor.bits[row + width - 1];
    last = encode(tensor.format, 2 * decode(tensor.format, last));
  }
}

Plan plan_basis(const Problem& problem, const Contract&) {
  Problem base = with_explicit_scale(problem);
  to_sum_grid(base.q);
  to_sum_grid(base.k);
  base.layouts.q = base.layouts.k = {};
  Problem p = base;
  rotate(p.q, true);
  rotate(p.k, false);
  p.scale = *base.scale / 2;
  return {{{std::move(base), ""}, {std::move(p), "sums and differences of channels"}}, {}};
}

std::optional<std::string> when_basis(const Problem& p, const Contract&) {
  if (p.shape.d_k < 2) return "it has no two channels";
  if (!has_finite_inputs(p)) return "an input is not finite";
  if (!(std::fabs(scale_value(p)) >= 0x1p-500)) return "the scale hides q and k";
  return no_weights(p);
}

}  // namespace

constinit const Property negate_q_and_k{
    signs_name,
    "Changing the sign of channels in both q and k changes nothing.",
    applies_when<when_channels, plan_signs>,
    plan_signs,
    judge_equal_runs<signs_name, &Promises::symmetric>,
    every_impostor,
    nullptr,
    "negative_queries_shortened"};

constinit const Property scale_fold{fold_name,
                                    "A power of two may move between q, k and the scale.",
                                    applies_when<when_fold, plan_fold>,
                                    plan_fold,
                                    judge_fold,
                                    every_impostor,
                                    nullptr,
                                    "small_queries_dropped"};

constinit const Property zero_channels{
    zero_name,
    "Channels that are 0 in q, or in q and k, change nothing but a default scale.",
    applies_when<when_channels, plan_zero>,
    plan_zero,
    judge_zero,
    every_impostor,
    nullptr,
    "channels_by_eights"};

constinit const Property orthogonal_basis{
    basis_name,
    "Sums and differences of pairs of channels, at half the scale, give the same.",
    applies_when<when_basis, plan_basis>,
    plan_basis,
    judge_meeting_runs<basis_name>,
    every_impostor,
    nullptr,
    "given_scale_ignored"};

}  // namespace qkvet
