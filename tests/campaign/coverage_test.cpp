// Coverage in pairs of feature values: measured on problems alone, no kernel runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <qkvet/campaign/coverage.hpp>
#include <qkvet/campaign/drawing.hpp>
#include <qkvet/campaign/far_strides.hpp>
#include <string>

#include "properties/registry.hpp"

namespace qkvet {
namespace {

std::string words(FeatureValue value) {
  return std::string(info(value.feature).name) + " = " +
         std::string(name_of(value.feature, static_cast<std::size_t>(value.value)));
}

std::vector<const Property*> everything() {
  std::vector<const Property*> properties;
  for (const Property& property : all_properties()) properties.push_back(&property);
  return properties;
}

std::vector<std::string_view> items(std::string_view list) {
  if (list.starts_with('!')) list.remove_prefix(1);
  std::vector<std::string_view> out;
  while (!list.empty()) {
    const std::size_t bar = std::min(list.find('|'), list.size());
    out.push_back(list.substr(0, bar));
    list.remove_prefix(std::min(bar + 1, list.size()));
  }
  return out;
}

/// A misspelt name would exclude nothing, or with "!" everything.
void expect_known(std::string_view features, std::string_view values) {
  for (const std::string_view feature : items(features)) {
    const auto table = feature_table();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const FeatureInfo& one) { return one.name == feature; });
    ASSERT_NE(found, table.end()) << feature;
    if (values == "*") continue;
    for (const std::string_view value : items(values)) {
      const bool here =
          std::find(found->values.begin(), found->values.end(), value) != found->values.end();
      const bool shared = items(features).size() > 1;  // features that do not have all of them
      EXPECT_TRUE(here || shared) << feature << ": " << value;
    }
  }
}

TEST(Coverage, RulesNameFeaturesThatThereAreAndGiveReasons) {
  for (const ExcludedPairs& rule : excluded_pairs()) {
    expect_known(rule.feature, rule.values);
    expect_known(rule.other, rule.others);
    EXPECT_GT(rule.reason.size(), 10u) << rule.feature;
  }
  const auto all = all_feature_values();
  std::size_t excluded = 0, pairs = 0;
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (all[a].feature == all[b].feature) continue;
      ++pairs;
      excluded += why_excluded(all[a], all[b]).empty() ? 0 : 1;
      EXPECT_EQ(why_excluded(all[a], all[b]), why_excluded(all[b], all[a]));
    }
  std::printf("%zu of %zu pairs excluded\n", excluded, pairs);
  EXPECT_LT(excluded * 10, pairs) << "the list must not eat up what is asked for";
}

/// What no problem of a thousand shows is not excluded by accident, and the other way round.
TEST(Coverage, NoImpossiblePairIsDrawn) {
  PairCounts counts;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Choices choices = Choices::from_seed(mix(seed));
    const Drawn drawn = draw(choices, Domain{});
    counts.add(features_in(drawn.problem, drawn.stratum));
  }
  const auto all = all_feature_values();
  for (const FeatureValue a : all)
    for (const FeatureValue b : all) {
      const std::string_view why = why_excluded(a, b);
      const bool impossible = a.feature != b.feature && !why.empty() &&
                              why.find("chance") == std::string_view::npos &&
                              why.find("drawn") == std::string_view::npos;
      EXPECT_TRUE(!impossible || counts.of(a, b) == 0)
          << words(a) << ", " << words(b) << ": " << why;
    }
}

TEST(Draw, KeepsEachWishAlone) {
  Domain domain;
  domain.formats = {Format::bfloat16};  // in which a bias may have another format
  domain.work_budget = 20'000'000;
  for (const FeatureValue value : all_feature_values()) {
    const bool dear = (value.feature == Feature::batch && value.value == 2) ||
                      (value.feature == Feature::kv_heads && value.value == 3) ||
                      (value.feature == Feature::keys && value.value > 3);
    int kept = 0;
    const int tries = dear ? 2 : 12;
    for (int n = 0; n < tries; ++n) {
      FeatureValues wishes;
      wishes[value.feature] = value.value;
      Choices choices = Choices::from_seed(mix(static_cast<std::uint64_t>(n)));
      const Drawn drawn = draw(choices, domain, wishes);
      EXPECT_EQ(outside(domain, drawn.problem), std::nullopt);
      kept += features_in(drawn.problem, drawn.stratum)[value.feature] == value.value ? 1 : 0;
    }
    EXPECT_GE(kept * 3, tries) << words(value);  // repairs take some back
  }
}

TEST(Steering, BringsRarePairsAndNeedsTheWishes) {
  const auto rare_of = [](bool steered) {
    PairCounts counts;
    Steering steering(7);
    for (std::uint64_t n = 0; n < 800; ++n) {
      const FeatureValues wishes = steering.next();
      Choices choices = Choices::from_seed(mix(n));
      Domain domain;
      domain.work_budget = 1'000'000;
      const Drawn drawn = draw(choices, domain, steered ? wishes : FeatureValues{});
      const FeatureValues seen = features_in(drawn.problem, drawn.stratum);
      steering.saw(seen);
      counts.add(seen);
    }
    int rare = 0;
    const auto all = all_feature_values();
    for (std::size_t a = 0; a < all.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        rare += why_excluded(all[a], all[b]).empty() && counts.of(all[a], all[b]) == 0 ? 1 : 0;
      }
    return rare;
  };
  const int steered = rare_of(true), blind = rare_of(false);
  std::printf("pairs never drawn in 800 problems: %d steered, %d as they come\n", steered, blind);
  EXPECT_LT(steered * 10, blind);
}

TEST(Coverage, IsThatOfItsSeed) {
  const Profile smoke{"smoke", 60, 0, 1'000'000, ""};
  const std::vector<const Property*> first{&all_properties().front()};
  const Coverage a = measure_coverage(smoke, first, 3, 1, 1), b = measure_coverage(smoke, first, 3, 1, 1),
                 c = measure_coverage(smoke, first, 4, 1, 1);
  EXPECT_EQ(a.counts.problems(), 60);
  EXPECT_EQ(a.rare.size(), b.rare.size());
  int differing = 0;
  for (const FeatureValue value : all_feature_values()) {
    EXPECT_EQ(a.counts.of(value), b.counts.of(value));
    differing += a.counts.of(value) != c.counts.of(value) ? 1 : 0;
  }
  EXPECT_GT(differing, 10);
}

/// A fifth of the profile `ci`: 4 times instead of 20, and few pairs that chance left below.
TEST(Coverage, OfTheProfileReachesEveryPair) {
  const Coverage coverage = measure_coverage(*profile_named("ci"), everything(), 1, 0.2, 2);
  std::printf("%ld cases, %ld pairs, %zu fewer than twice\n",
              static_cast<long>(coverage.counts.problems()), static_cast<long>(coverage.pairs),
              coverage.rare.size());
  for (const Coverage::Rare& rare : coverage.rare) {
    std::printf("%ld %s, %s\n", static_cast<long>(rare.count), words(rare.a).c_str(),
                words(rare.b).c_str());
  }
  EXPECT_LT(coverage.rare.size(), 30u);
}

/// A problem of two heads and three keys, all contiguous.
Problem two_heads() {
  Problem p;
  p.shape = {1, 2, 2, 2, 3, 2, 2};
  p.q = make_tensor(p.format, {1, 2, 2, 2});
  p.k = make_tensor(p.format, {1, 2, 3, 2});
  p.v = make_tensor(p.format, {1, 2, 3, 2});
  return p;
}

TEST(FarStrides, AreDrawnSometimesReachBeyond31BitsAndChangeNothingElse) {
  const Domain domain;
  std::uint64_t done = 0;
  constexpr std::uint64_t draws = 200 * cases_per_far_stride;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    Problem p = two_heads();
    if (!stride_far(p, domain, mix(seed))) {
      ASSERT_EQ(digest(p), digest(two_heads()));
      continue;
    }
    ++done;
    ASSERT_NO_THROW(validate(p));
    std::int64_t reach = 0;
    for (const Layout* layout : {&p.layouts.q, &p.layouts.k, &p.layouts.v, &p.layouts.o}) {
      if (!layout->strides) continue;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        reach = std::max(reach, (*layout->strides)[axis] * (axis == 1 ? 1 : 2));
      }
    }
    ASSERT_GT(reach, std::int64_t{1} << 31);
    p.layouts = {};
    ASSERT_EQ(digest(p), digest(two_heads()));
  }
  EXPECT_GT(done, 150U);
  EXPECT_LT(done, 250U);
}

TEST(FarStrides, AreNotDrawnWhereTheDomainTakesNoStrides) {
  Domain domain;
  domain.strided = Allow::never;
  for (std::uint64_t seed = 0; seed < 10 * cases_per_far_stride; ++seed) {
    Problem p = two_heads();
    EXPECT_FALSE(stride_far(p, domain, mix(seed)));
  }
}

}  // namespace
}  // namespace qkvet
