// Which pairs of feature values a campaign draws, and draws that are steered towards pairs which are
// still rare.
#pragma once

#include <cstdint>
#include <qkvet/campaign/profiles.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/features.hpp>
#include <string_view>
#include <vector>

namespace qkvet {

/// A value of a feature.
struct FeatureValue {
  Feature feature;
  std::int8_t value;
};

/// Why no problem has both values, or why both together are not asked for; empty if they are asked
/// for. The rules are one committed table: excluded_pairs().
[[nodiscard]] std::string_view why_excluded(FeatureValue a, FeatureValue b);

/// A rule of the table: any of `values` of one feature with any of `others` of the other. "|"
/// separates names, "*" is every one, "!" before them every one but these; an empty name of the other
/// feature stands for all.
struct ExcludedPairs {
  std::string_view feature, values, other, others, reason;
};
[[nodiscard]] std::span<const ExcludedPairs> excluded_pairs();

/// Counts pairs of values over problems.
class PairCounts {
 public:
  PairCounts();
  void add(const FeatureValues& values);
  void add(const PairCounts& other);
  [[nodiscard]] std::int64_t of(FeatureValue value) const;
  [[nodiscard]] std::int64_t of(FeatureValue a, FeatureValue b) const;
  [[nodiscard]] std::int64_t problems() const { return problems_; }

 private:
  friend class Steering;
  std::vector<std::int64_t> counts_;  // of every two values, by their numbers
  std::int64_t problems_ = 0;
};

/// Every value of every feature, in the order of the table.
[[nodiscard]] std::span<const FeatureValue> all_feature_values();

/// Wishes for the next problem: a pair that is among the rarest so far, and further values that make
/// rare pairs with it. What it proposes depends on the seed and on what it was told, on nothing else.
class Steering {
 public:
  explicit Steering(std::uint64_t seed) : choices_(Choices::from_seed(seed)) {}
  [[nodiscard]] FeatureValues next();
  /// A problem that counts.
  void saw(const FeatureValues& values) { counts_.add(values); }

 private:
  [[nodiscard]] std::int64_t weight(FeatureValue a, FeatureValue b) const;

  Choices choices_;
  PairCounts counts_;
  PairCounts asked_;  // in vain or not: what cannot be had is asked for less and less
};

struct Coverage {
  PairCounts counts;
  std::int64_t pairs = 0;  ///< that are asked for
  struct Rare {
    FeatureValue a, b;
    std::int64_t count;
  };
  std::vector<Rare> rare;  ///< asked for, but fewer than `wanted` times
};

/// Draws what a campaign of these properties would draw from this seed, without any candidate: every
/// draw counts that its property speaks of. Each property is cut to `share` (0 to 1) of its cases.
[[nodiscard]] Coverage measure_coverage(const Profile& profile,
                                        std::span<const Property* const> properties,
                                        std::uint64_t seed, double share, std::int64_t wanted);

}  // namespace qkvet
