// The choice of wishes: greedy, as in covering arrays that are built row by row.
#include <algorithm>
#include <limits>
#include <qkvet/campaign/coverage.hpp>

namespace qkvet {
namespace {

// Counts of the search, none of them a tolerance.
constexpr std::uint64_t seen_weight = 4;   // a pair that was there, against one asked for in vain
constexpr int looked_at = 1000;            // pairs that compete for the first place
constexpr std::size_t most_wishes = 9;             // more values would seldom agree with each other
constexpr int tried_values = 120;          // that compete for each further place

FeatureValue random_value(Choices& choices) {
  const auto all = all_feature_values();
  return all[choices.below(all.size())];
}

}  // namespace

std::int64_t Steering::weight(FeatureValue a, FeatureValue b) const {
  if (!why_excluded(a, b).empty()) return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(seen_weight) * counts_.of(a, b) + asked_.of(a, b);
}

FeatureValues Steering::next() {
  FeatureValues wishes;
  std::vector<FeatureValue> chosen(2);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (int n = 0; n < looked_at; ++n) {
    const FeatureValue a = random_value(choices_), b = random_value(choices_);
    const std::int64_t now = weight(a, b);
    if (now < least) least = now, chosen = {a, b};
  }
  while (chosen.size() < most_wishes) {
    // The value that makes the most pairs which are as rare as the first one, or nearly.
    double best = 0;
    FeatureValue further{};
    for (int n = 0; n < tried_values; ++n) {
      const FeatureValue value = random_value(choices_);
      double gain = 0;
      for (const FeatureValue with : chosen) {
        const std::int64_t now = weight(value, with);
        if (now == std::numeric_limits<std::int64_t>::max()) {
          gain = -1;
          break;
        }
        gain += 1.0 / static_cast<double>(1 + now);
      }
      if (gain > best) best = gain, further = value;
    }
    if (!(best > 0)) break;
    chosen.push_back(further);
  }
  for (const FeatureValue value : chosen) wishes[value.feature] = value.value;
  asked_.add(wishes);
  return wishes;
}

}  // namespace qkvet
