// `draw` is total, stays in its domain, keeps its bits, and reaches what it is there to reach.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <qkvet/problem/draw.hpp>

namespace qkvet {
namespace {

Drawn drawn_from(std::uint64_t seed, const Domain& domain = {}) {
  Choices choices = Choices::from_seed(seed);
  return draw(choices, domain);
}

TEST(Mix, IsABijectionWithKnownValues) {
  EXPECT_EQ(mix(0), 0u);
  EXPECT_EQ(mix(1), 0x5692161d100b05e5u);
}

TEST(Choices, ZeroBytesAreTheSimplestChoice) {
  Choices c = Choices::from_bytes({});
  EXPECT_EQ(c.below(10), 0u);
  EXPECT_EQ(c.between(-3, 5), -3);
  EXPECT_FALSE(c.chance(1, 2));
  EXPECT_EQ(c.bits(), 0u);
  EXPECT_DOUBLE_EQ(c.gaussian(), 0.0);
  EXPECT_TRUE(c.chance(1, 1));
  EXPECT_FALSE(c.chance(0, 1));
}

TEST(Choices, CoverTheirWholeRange) {
  Choices c = Choices::from_seed(7);
  std::map<std::int64_t, int> seen;
  for (int n = 0; n < 1000; ++n) ++seen[c.between(-2, 2)];
  EXPECT_EQ(seen.size(), 5u);
  EXPECT_EQ(seen.begin()->first, -2);
  (void)c.between(std::numeric_limits<std::int64_t>::min(),
                  std::numeric_limits<std::int64_t>::max());
}

TEST(Choices, GaussianHasMomentsOfTheNormalDistribution) {
  Choices c = Choices::from_seed(1);
  double sum = 0, square = 0;
  constexpr int n = 100000;
  for (int k = 0; k < n; ++k) {
    const double x = c.gaussian();
    sum += x;
    square += x * x;
  }
  EXPECT_NEAR(sum / n, 0.0, 0.02);
  EXPECT_NEAR(square / n, 1.0, 0.02);
}

/// A random domain: some fields narrowed, features allowed, required or forbidden at random.
Domain random_domain(Choices& c) {
  Domain d;
  for (Range* range : {&d.B, &d.H_q, &d.H_kv, &d.L, &d.S, &d.d_k, &d.d_v}) {
    if (c.chance(1, 3)) range->min = c.between(0, 9);
    if (c.chance(1, 3)) range->max = range->min + c.between(0, 70);
  }
  for (Allow* allow :
       {&d.unequal_heads, &d.unequal_lengths, &d.grouped, &d.causal, &d.window, &d.key_range,
        &d.bool_mask, &d.bias, &d.bias_infinite, &d.softcap, &d.sinks, &d.alibi, &d.explicit_scale,
        &d.negative_scale, &d.lse, &d.threads, &d.splits, &d.strided, &d.nonfinite, &d.empty_rows}) {
    const std::uint64_t kind = c.below(8);
    *allow = kind < 4 ? Allow::may : kind < 7 ? Allow::never : Allow::must;
  }
  if (c.chance(1, 2)) d.formats = {c.chance(1, 2) ? Format::binary64 : Format::binary16};
  if (c.chance(1, 2)) d.diagonals.erase(d.diagonals.begin() + c.between(0, 2));
  if (c.chance(1, 2)) d.diagonals.pop_back();
  if (c.chance(1, 4)) d.work_budget = c.between(0, 1000);
  return d;
}

TEST(Draw, StaysInsideRandomDomains) {
  Choices c = Choices::from_seed(2024);
  int satisfiable = 0;
  for (int n = 0; n < 1500; ++n) {
    const Domain domain = random_domain(c);
    const bool possible = smallest(domain).has_value();
    satisfiable += possible;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const Drawn drawn = drawn_from(seed * 4096 + static_cast<std::uint64_t>(n), domain);
      ASSERT_NO_THROW(validate(drawn.problem)) << n << " " << seed;
      const auto why = outside(domain, drawn.problem);
      ASSERT_TRUE(!possible || !why) << n << " " << seed << " " << *why << "\n"
                                     << write_domain(domain);
    }
  }
  EXPECT_GT(satisfiable, 700);
}

TEST(Draw, TakesAnyBytes) {
  Choices c = Choices::from_seed(5);
  for (int n = 0; n < 3000; ++n) {
    std::vector<std::uint8_t> bytes(c.below(80));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(c.below(256));
    Choices stream = Choices::from_bytes(bytes);
    const Drawn drawn = draw(stream, {});
    ASSERT_NO_THROW(validate(drawn.problem));
    ASSERT_FALSE(outside({}, drawn.problem).has_value());
  }
  Choices nothing = Choices::from_bytes({});
  EXPECT_EQ(draw(nothing, {}).problem.shape, Shape{});
}

TEST(Draw, SmallestIsInsideItsDomain) {
  Choices c = Choices::from_seed(99);
  for (int n = 0; n < 500; ++n) {
    const Domain domain = random_domain(c);
    const auto problem = smallest(domain);
    if (!problem) continue;
    EXPECT_NO_THROW(validate(*problem));
    EXPECT_FALSE(outside(domain, *problem).has_value());
  }
}

struct Census {
  std::map<std::string_view, int> strata;
  std::map<std::string_view, int> features;
  std::vector<std::int64_t> work;
};

Census census(int count) {
  Census out;
  for (int n = 0; n < count; ++n) {
    const Drawn drawn = drawn_from(mix(static_cast<std::uint64_t>(n)));
    const Problem& p = drawn.problem;
    const Shape& s = p.shape;
    auto& f = out.features;
    ++out.strata[drawn.stratum];
    out.work.push_back(s.work());
    f["border"] += s.S > 16 && s.S % 16 != 0;
    f["long"] += s.S >= 512;
    f["L<S"] += s.L < s.S;
    f["L=S"] += s.L == s.S && s.S > 1;
    f["L>S"] += s.L > s.S;
    f["zero"] += s.work() == 0;
    f["causal"] += p.mask.causal;
    f["causal-tl"] += p.mask.causal && p.mask.diagonal.kind == Diagonal::Kind::top_left;
    f["causal-br"] += p.mask.causal && p.mask.diagonal.kind == Diagonal::Kind::bottom_right;
    f["causal-fixed"] += p.mask.causal && p.mask.diagonal.kind == Diagonal::Kind::fixed;
    f["window"] += p.mask.window.has_value();
    f["key_range"] += p.mask.key_range.has_value();
    f["bool_mask"] += p.mask.attend.has_value();
    f["bias"] += p.mask.bias.has_value();
    f["softcap"] += p.softcap > 0;
    f["sinks"] += p.sinks.has_value();
    f["alibi"] += p.alibi_slopes.has_value();
    f["scale"] += p.scale.has_value();
    f["lse"] += p.want_lse;
    f["grouped"] += s.H_q != s.H_kv;
    f["grouped-kv>1"] += s.H_q != s.H_kv && s.H_kv > 1;
    f["d_k<d_v"] += s.d_k < s.d_v;
    f["d_k>d_v"] += s.d_k > s.d_v;
    f["strided"] += p.layouts != Layouts{};
    f["stride0"] += p.layouts.k.strides && (*p.layouts.k.strides)[0] == 0 && s.B > 1;
    f["empty"] += has_empty_row(p);
    f["stride0-heads"] += (p.layouts.v.strides && (*p.layouts.v.strides)[1] == 0 && s.H_kv > 1) ||
                          (p.layouts.q.strides && (*p.layouts.q.strides)[1] == 0 && s.H_q > 1);
    f["aligned"] += s.L % 16 == 0 && s.S % 16 == 0 && s.d_k % 32 == 0 && s.d_v % 32 == 0 && s.L > 0;
    f["group>=16"] += s.H_kv > 0 && s.H_q / s.H_kv >= 16;
    f["threads"] += p.call.threads != 0;
    f["splits"] += p.call.splits != 0;
    f["mask-bytes"] += p.mask.attend && std::any_of(p.mask.attend->attend.begin(),
                                                    p.mask.attend->attend.end(),
                                                    [](std::uint8_t byte) { return byte > 1; });
    f["wide"] += std::max(s.d_k, s.d_v) >= 64;
  }
  std::sort(out.work.begin(), out.work.end());
  return out;
}

// problem-03: one row more than keys is the only way to an empty row here.
TEST(Draw, SmallestFindsTheLengthBesideTheOtherOnes) {
  Domain domain;
  domain.S = {5, 5};
  domain.causal = domain.empty_rows = Allow::must;
  domain.diagonals = {Diagonal::Kind::bottom_right};
  domain.key_range = domain.bool_mask = domain.bias = domain.window = Allow::never;
  const auto found = smallest(domain);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->shape.L, 6);
}

// problem-02 of docs/harness.md: what would be too long spreads below the end, not onto it.
TEST(Draw, SpreadsWhatADomainCutsOff) {
  Domain domain;
  domain.S = {1, 20};
  std::map<std::int64_t, int> seen;
  for (std::uint64_t seed = 0; seed < 300; ++seed)
    ++seen[drawn_from(mix(seed), domain).problem.shape.S];
  const auto above = std::distance(seen.lower_bound(9), seen.end());
  EXPECT_GE(above, 11) << "of 12 lengths from 9 to 20";
  EXPECT_LT(seen[20], 60);
}

TEST(Draw, ReachesEveryStratumAndFeatureUnderItsBudget) {
  constexpr int count = 5000;
  const Census seen = census(count);
  EXPECT_EQ(seen.strata.size(), strata().size());
  for (const auto& [name, times] : seen.features) {
    std::printf("%-14s %5.1f %%\n", std::string(name).c_str(), 100.0 * times / count);
    EXPECT_GT(times, name.starts_with("stride0") ? 3 : count / 200) << name;
  }
  const auto at = [&](double share) {
    return seen.work[static_cast<std::size_t>(share * (count - 1))];
  };
  const double mean =
      static_cast<double>(std::accumulate(seen.work.begin(), seen.work.end(), std::int64_t{0})) /
      count;
  std::printf("work: median %lld, 90 %% %lld, 97 %% %lld, max %lld, mean %.0f\n",
              static_cast<long long>(at(.5)), static_cast<long long>(at(.9)),
              static_cast<long long>(at(.97)), static_cast<long long>(at(1)), mean);
  EXPECT_GE(seen.features.at("border"), count * 30 / 100);
  EXPECT_GE(seen.features.at("long"), count * 3 / 100);
  EXPECT_LE(at(.5), 10'000);
  EXPECT_LE(at(.92), 100'000);  // aligned shapes cost more: docs/cases.md
  EXPECT_LE(at(1), Domain{}.work_budget);
}

/// Lengths and counts that need more bits than an index may have, only for who can pay for them.
TEST(Draw, ReachesLongAndManyOnlyUnderALargeBudget) {
  int keys = 0, entries = 0, heads = 0, dear = 0;
  Domain rich, poor;
  rich.work_budget = 20'000'000;
  poor.work_budget = 1'000'000;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Shape s = drawn_from(mix(seed), rich).problem.shape;
    keys += s.S > 32768 ? 1 : 0;
    entries += s.B > 65535 ? 1 : 0;
    heads += s.H_q > 65535 ? 1 : 0;
    EXPECT_TRUE(s.S <= 4096 || s.rows() * (s.d_k + s.d_v) <= 16) << seed;
  }
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Shape s = drawn_from(mix(seed), poor).problem.shape;
    dear += std::max({s.S, s.B, s.H_q}) > 32768 ? 1 : 0;
  }
  std::printf("S > 32768: %d, B > 65535: %d, H > 65535: %d of 3000\n", keys, entries, heads);
  EXPECT_GE(keys, 4);
  EXPECT_LE(keys, 30) << "they are dear";
  EXPECT_GE(entries + heads, 1);
  EXPECT_LE(entries + heads, 12);
  EXPECT_EQ(dear, 0);
}

TEST(Draw, KeepsTheLimitsOfWhoTakesFewerKeysOrEntries) {
  Domain domain;
  domain.S.max = 32768;
  domain.B.max = 65535;
  domain.H_q.max = 64;
  domain.threads = domain.splits = Allow::never;
  FeatureValues wishes;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    wishes[Feature::keys] = 5;
    wishes[Feature::split_count] = static_cast<std::int8_t>(seed % 4);
    wishes[Feature::thread_count] = static_cast<std::int8_t>(seed % 3);
    if (seed % 2 == 0) wishes[Feature::batch] = 2;
    Choices choices = Choices::from_seed(seed);
    EXPECT_EQ(outside(domain, draw(choices, domain, wishes).problem), std::nullopt);
  }
}

}  // namespace
}  // namespace qkvet
