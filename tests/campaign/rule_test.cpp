// From samples to the rule that explains them.
#include <gtest/gtest.h>

#include <qkvet/campaign/rule.hpp>

namespace qkvet {
namespace {

template <class Fails>
std::vector<Sample> sampled(const std::vector<std::int64_t>& at, const Fails& fails) {
  std::vector<Sample> samples;
  for (const std::int64_t n : at) samples.push_back({n, fails(n)});
  return samples;
}

std::vector<std::int64_t> around_65() {
  std::vector<std::int64_t> at;
  for (std::int64_t n = 59; n <= 71; ++n) at.push_back(n);
  for (const std::int64_t n : {1, 17, 33, 72, 80, 81, 96, 97, 128, 129, 130, 193, 257})
    at.push_back(n);
  return at;
}

TEST(RuleOf, NamesTheSimplestRuleThatExplainsAll) {
  const auto at = around_65();
  const auto rule = [&](const auto& fails) {
    return rule_of("S", sampled(at, fails)).value_or("-");
  };
  EXPECT_EQ(rule([](auto n) { return n >= 65; }), "fails iff S >= 65 (26 of 26 tried)");
  EXPECT_EQ(rule([](auto n) { return n <= 65; }), "fails iff S <= 65 (26 of 26 tried)");
  EXPECT_EQ(rule([](auto n) { return n % 64 == 1; }), "fails iff S mod 64 = 1 (26 of 26 tried)");
  EXPECT_EQ(rule([](auto n) { return n % 64 == 1 && n > 1; }),
            "fails iff S mod 64 = 1 and S >= 65 (26 of 26 tried)");
  EXPECT_EQ(rule([](auto n) { return n % 64 != 0; }), "fails iff S mod 64 != 0 (26 of 26 tried)");
  EXPECT_EQ(rule([](auto n) { return n % 2 == 1; }), "fails iff S mod 2 = 1 (26 of 26 tried)");
  EXPECT_EQ(rule([](auto n) { return n == 65; }), "fails iff S = 65 (26 of 26 tried)");
  EXPECT_EQ(rule([](auto n) { return 62 <= n && n <= 67; }),
            "fails iff 62 <= S <= 67 (26 of 26 tried)");
}

TEST(RuleOf, SaysSoIfNoRuleExplainsAll) {
  EXPECT_EQ(
      rule_of("S", sampled(around_65(), [](auto n) { return n == 61 || n == 66 || n == 97; })),
      "fails for 3 of 26 S tried, by no simple rule");
}

TEST(RuleOf, IsSilentIfAllFailAlike) {
  EXPECT_FALSE(rule_of("S", sampled(around_65(), [](auto) { return true; })));
  EXPECT_FALSE(rule_of("S", sampled(around_65(), [](auto) { return false; })));
  EXPECT_FALSE(rule_of("S", {}));
}

/// One failing extent is no evidence of a period, and a repeated sample no second one.
TEST(RuleOf, ClaimsNoPeriodFromOneExtent) {
  EXPECT_EQ(rule_of("S", {{64, false}, {65, true}, {65, true}, {66, false}}),
            "fails iff S = 65 (3 of 3 tried)");
}

}  // namespace
}  // namespace qkvet
