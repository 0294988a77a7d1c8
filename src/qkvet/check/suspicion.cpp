#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <qkvet/check/ledger.hpp>
#include <qkvet/check/suspicion.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/draw.hpp>

namespace qkvet {
namespace {

constexpr int redraws = 2;

Statistics look_at(const Problem& problem, const Contract& contract, const Outputs& outputs,
                   const Admissible& admissible) {
  return statistics_of(problem, outputs, admissible, spreads(problem, contract));
}

/// One number for a problem, the same wherever it is looked at.
std::uint64_t seed_of(const Problem& problem) {
  return std::strtoull(digest(problem).c_str(), nullptr, 16);
}

/// Value n times the factor of number n % factors; values that would leave the format stay.
void stretch(Choices& choices, Tensor& tensor, std::size_t factors) {
  std::vector<double> factor(factors);
  for (double& f : factor) f = 0.75 + choices.unit() / 2;
  for (std::size_t n = 0; n < tensor.bits.size(); ++n) {
    const double x = decode(tensor.format, tensor.bits[n]);
    const std::uint64_t bits = encode(tensor.format, x * factor[n % factors]);
    if (is_finite(tensor.format, bits)) tensor.bits[n] = bits;
  }
}

void deal_rows(Choices& choices, Tensor& v) {
  const std::int64_t S = v.extents[2];
  std::vector<std::int64_t> from(static_cast<std::size_t>(S));
  std::iota(from.begin(), from.end(), 0);
  for (std::int64_t j = S - 1; j > 0; --j) {
    std::swap(from[static_cast<std::size_t>(j)],
              from[static_cast<std::size_t>(choices.between(0, j))]);
  }
  const Tensor old = v;
  for (std::int64_t a = 0; a < v.extents[0]; ++a)
    for (std::int64_t b = 0; b < v.extents[1]; ++b)
      for (std::int64_t j = 0; j < S; ++j)
        for (std::int64_t d = 0; d < v.extents[3]; ++d) {
          v.bits[v.index(a, b, j, d)] =
              old.bits[old.index(a, b, from[static_cast<std::size_t>(j)], d)];
        }
}

}  // namespace

bool has_random_values(std::string_view stratum) {
  // Not those in which many scores are (almost) equal or all lie far below 0: rows with equal
  // outputs are rounded alike, and the model knows it badly (docs/bounds.md 10.5).
  constexpr std::array names{"unit-gaussian", "scores-90",    "scores-1e4",  "rising-tiles",
                             "needle",        "key-outliers", "near-uniform"};
  return std::find(names.begin(), names.end(), stratum) != names.end();
}

Rung rung_of(Format format) {
  return format == Format::binary64 ? Rung::arb : Rung::first;
}

Problem redrawn(const Problem& problem, std::uint64_t seed) {
  Choices choices = Choices::from_seed(mix(seed));
  Problem out = problem;
  if (problem.shape.d_k > 0) {
    const auto channels = static_cast<std::size_t>(problem.shape.d_k);
    stretch(choices, out.q, channels);
    stretch(choices, out.k, channels);
  }
  if (!out.v.bits.empty()) {
    stretch(choices, out.v, out.v.bits.size());
    deal_rows(choices, out.v);
  }
  try {
    validate(out);
  } catch (const InputError&) {
    out.layouts = {};  // a layout that repeats channels or keys needs equal values
  }
  return out;
}

std::optional<Suspect> suspicion(const Exhibit& shown, Candidate& candidate, const Tally& tally) {
  const Problem& problem = shown.run->problem;
  const Contract& contract = *shown.contract;
  const Calibration* calibration = calibration_of(problem.format);
  if (calibration == nullptr || !has_model(contract.arithmetic)) return std::nullopt;
  const Statistics seen = look_at(problem, contract, shown.observation.outputs, shown.admissible);
  const std::optional<Excess> first = excess_of(seen, *calibration);
  if (!first) return std::nullopt;
  std::string again;
  for (int n = 1; n <= redraws; ++n) {
    const Problem next = redrawn(problem, seed_of(problem) + static_cast<std::uint64_t>(n));
    if (outside(contract.limits, next)) return std::nullopt;
    const Observation rerun = candidate.run(next, output_formats(contract));
    if (rerun.status != RunStatus::ok) return std::nullopt;
    const auto repeated = excess_of(
        look_at(next, contract, rerun.outputs, admit(next, contract, rung_of(problem.format))),
        *calibration);
    if (!repeated) return std::nullopt;
    again += fmt::format("{}{} {:.3g}", n > 1 ? " and " : "", repeated->name(), repeated->value);
  }
  const Spot spot{&shown, first->of_lse() ? seen.worst_lse : seen.worst};
  Finding finding;
  finding.label = "unlikely";
  finding.place = spot.at;
  finding.allowed = spot.place();
  finding.got = spot.got();
  finding.got_bits = spot.bits();
  finding.excess = finding.allowed.ratio(finding.got);
  finding.message = fmt::format(
      "within the bound, but honest kernels do not err like this: {} is {:.3g}, they reach {:.3g}; "
      "two redraws give {}; a case of theirs goes as far by chance at a rate of at most {:.1g}",
      first->name(), first->value, first->critical, again, calibration->rate());
  return Suspect{std::move(finding), tally};
}

}  // namespace qkvet
