// The value strata: what each is there to provoke, and how often it is drawn.
#include <array>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet {
namespace {

constexpr std::array<Stratum, 22> table{{
    {"unit-gaussian", "the ordinary case: scores and values of order one"},
    {"grid",
     "small integers: products and sums are exact, so a difference is a fault, not rounding"},
    {"channel-means",
     "each channel of V has its own mean: zeros, mean(V) and swapped channels show"},
    {"scores-90", "scores to +-90: exp under- and overflows in f32 without the maximum"},
    {"scores-1e4", "scores to +-1e4: finite mask sentinels of -1e4, exp of large arguments"},
    {"rising-tiles",
     "scores rise from tile to tile: the running maximum moves, all before is rescaled"},
    {"needle", "one key dominates, at the ends of tiles too: a key that is skipped or read twice"},
    {"flat-tail", "one peak and a flat tail: small weights that together count"},
    {"near-uniform", "almost equal scores: every key counts the same, tails and counts of keys"},
    {"equal-scores", "q = 0 or all keys equal: the weights are uniform, whatever the scale"},
    {"key-outliers", "one channel of K has a large common offset: cancellation in the softmax"},
    {"cancelling-v", "large values of both signs: the sum of products cancels"},
    {"v-ones", "V = 1: the output is the sum of the weights"},
    {"v-key-index", "V = key index: which keys, and in which order"},
    {"v-identity", "V = unit vectors: the output is the weights themselves"},
    {"low-scores",
     "all scores below -200 to -6e4: a maximum or a mask that starts at a finite number"},
    {"low-then-high", "very low scores first, ordinary ones later: a maximum that starts too high"},
    {"empty-rows",
     "rows without a visible key, by each mask and by two that empty a row only together"},
    {"hidden-garbage",
     "NaN, infinity and huge numbers where no row looks: inputs that must not count"},
    {"visible-nonfinite", "NaN and infinity where rows do look: they must stay in their rows"},
    {"subnormal", "subnormal inputs: flush to zero, lost products"},
    {"format-limit", "values near the largest number: overflow before the division"},
}};

/// Percent, roughly; hard strata are rare so that most cases are finite and decided.
constexpr std::array<std::uint64_t, table.size()> weights{22, 8, 11, 6, 3, 6, 6, 3, 4, 3, 3,
                                                          4,  3, 4,  2, 3, 3, 4, 3, 2, 1, 1};

}  // namespace

std::span<const Stratum> strata() { return table; }

namespace detail {

Values draw_stratum(Choices& choices, const Domain& domain, const FeatureValues& wishes) {
  std::array<std::uint64_t, table.size()> allowed = weights;
  const auto forbid = [&](Values stratum) { allowed[static_cast<std::size_t>(stratum)] = 0; };
  if (domain.nonfinite == Allow::never) forbid(Values::visible_nonfinite);
  if (domain.empty_rows == Allow::never) forbid(Values::empty_rows);
  if (domain.nonfinite == Allow::must) {
    for (std::size_t n = 0; n < allowed.size(); ++n) {
      const auto stratum = static_cast<Values>(n);
      if (stratum != Values::visible_nonfinite && stratum != Values::hidden_garbage) allowed[n] = 0;
    }
  }
  const std::int8_t wish = wishes[Feature::stratum];
  if (wish >= 0 && allowed[static_cast<std::size_t>(wish)] > 0) return static_cast<Values>(wish);
  std::uint64_t total = 0;
  for (std::uint64_t weight : allowed) total += weight;
  std::uint64_t choice = choices.below(total);
  for (std::size_t n = 0; n < allowed.size(); ++n) {
    if (choice < allowed[n]) return static_cast<Values>(n);
    choice -= allowed[n];
  }
  return Values::unit_gaussian;
}

}  // namespace detail
}  // namespace qkvet
