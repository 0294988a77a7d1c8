#include <algorithm>
#include <qkvet/campaign/coverage.hpp>

namespace qkvet {
namespace {

/// Numbers of the values: those of a feature are consecutive.
struct Numbers {
  std::array<std::size_t, feature_total> first{};
  std::vector<FeatureValue> values;

  Numbers() {
    for (std::size_t f = 0; f < feature_total; ++f) {
      first[f] = values.size();
      const std::size_t count = info(static_cast<Feature>(f)).values.size();
      for (std::size_t value = 0; value < count; ++value) {
        values.push_back({static_cast<Feature>(f), static_cast<std::int8_t>(value)});
      }
    }
  }
};

const Numbers& numbers() {
  static const Numbers all;
  return all;
}

std::size_t number_of(FeatureValue value) {
  return numbers().first[static_cast<std::size_t>(value.feature)] +
         static_cast<std::size_t>(value.value);
}

std::size_t place_of(FeatureValue a, FeatureValue b) {
  return number_of(a) * numbers().values.size() + number_of(b);
}

bool names(std::string_view list, std::string_view value) {
  if (list == "*") return true;
  if (list.starts_with('!')) return !names(list.substr(1), value);
  for (std::string_view rest = list; !rest.empty();) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    if (rest.substr(0, bar) == value) return true;
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return false;
}

bool speaks_of(const ExcludedPairs& rule, FeatureValue a, FeatureValue b) {
  return names(rule.feature, info(a.feature).name) &&
         names(rule.values, name_of(a.feature, static_cast<std::size_t>(a.value))) &&
         (rule.other.empty() || names(rule.other, info(b.feature).name)) &&
         names(rule.others, name_of(b.feature, static_cast<std::size_t>(b.value)));
}

std::string_view find_reason(FeatureValue a, FeatureValue b) {
  for (const ExcludedPairs& rule : excluded_pairs()) {
    if (speaks_of(rule, a, b) || speaks_of(rule, b, a)) return rule.reason;
  }
  return {};
}

}  // namespace

std::string_view why_excluded(FeatureValue a, FeatureValue b) {
  static const std::vector<std::string_view> reasons = [] {
    const std::size_t count = numbers().values.size();
    std::vector<std::string_view> out(count * count);
    for (const FeatureValue first : numbers().values)
      for (const FeatureValue second : numbers().values) {
        out[place_of(first, second)] = first.feature == second.feature
                                           ? std::string_view("a feature has one value")
                                           : find_reason(first, second);
      }
    return out;
  }();
  return reasons[place_of(a, b)];
}

std::span<const FeatureValue> all_feature_values() { return numbers().values; }

PairCounts::PairCounts() : counts_(numbers().values.size() * numbers().values.size()) {}

void PairCounts::add(const FeatureValues& values) {
  std::array<std::size_t, feature_total> seen{};
  std::size_t count = 0;
  for (std::size_t f = 0; f < feature_total; ++f) {
    const auto feature = static_cast<Feature>(f);
    if (values[feature] == FeatureValues::none) continue;
    seen[count++] = number_of({feature, values[feature]});
  }
  const std::size_t width = numbers().values.size();
  for (std::size_t a = 0; a < count; ++a)
    for (std::size_t b = 0; b < count; ++b) ++counts_[seen[a] * width + seen[b]];
  ++problems_;
}

void PairCounts::add(const PairCounts& other) {
  for (std::size_t n = 0; n < counts_.size(); ++n) counts_[n] += other.counts_[n];
  problems_ += other.problems_;
}

std::int64_t PairCounts::of(FeatureValue value) const { return of(value, value); }

std::int64_t PairCounts::of(FeatureValue a, FeatureValue b) const {
  return counts_[place_of(a, b)];
}

}  // namespace qkvet
