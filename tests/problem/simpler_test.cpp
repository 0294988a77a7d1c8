// What the minimiser is offered: smaller, valid, inside the domain; and where it ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/simpler.hpp>
#include <qkvet/problem/text.hpp>

namespace qkvet {
namespace {

Problem drawn_from(std::uint64_t seed, const Domain& domain) {
  Choices choices = Choices::from_seed(seed);
  return draw(choices, domain).problem;
}

Domain light() {
  Domain domain;
  domain.work_budget = 3000;
  return domain;
}

struct Minimised {
  Problem problem;
  int offers = 0;
};

template <class Fails>
Minimised minimise(Problem problem, const Domain& domain, const Fails& fails) {
  Minimised out{std::move(problem), 0};
  for (bool more = true; more;) {
    Problem last = out.problem;
    more = simpler(out.problem, domain, [&](const Problem& p) {
      ++out.offers;
      if (!fails(p)) return false;
      last = p;
      return true;
    });
    out.problem = std::move(last);
  }
  return out;
}

// problem-07 of docs/harness.md: masks and biases of two entries are cut with the batch.
TEST(Simpler, CutsTheMasksOfTwoBatchEntries) {
  const Problem start =
      read_case("qk1:b2.hq1.hk1.l1.s3.dk1.dv1/f32/q:1,2/k:1,2,3,4,5,6/v:1,2,3,4,5,6", "text");
  // What fails is in the second entry's mask alone: it cannot be repeated for all entries, only
  // cut.
  Problem masked = start, biased = start;
  masked.mask.attend = BoolMask{{2, 1, 1, 3}, {1, 1, 1, 1, 1, 0}};
  biased.mask.bias = make_tensor(Format::binary32, {2, 1, 1, 3});
  for (std::int64_t b = 0; b < 2; ++b)
    biased.mask.bias->set(b, 0, 0, 1, 1.0 + static_cast<double>(b));
  const auto fails = [](const Problem& p) {
    const std::uint64_t two = encode(Format::binary32, 2);
    return (p.mask.attend && std::ranges::count(p.mask.attend->attend, 0) > 0) ||
           (p.mask.bias && std::ranges::count(p.mask.bias->bits, two) > 0);
  };
  for (const Problem& problem : {masked, biased}) {
    const Minimised least = minimise(problem, Domain{}, fails);
    EXPECT_EQ(least.problem.shape.B, 1) << write_case(least.problem);
  }
}

TEST(Simpler, OffersOnlySmallerValidProblemsInsideTheDomain) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Domain domain = light();
    if (seed % 4 == 1) domain.unequal_lengths = domain.unequal_heads = Allow::never;
    if (seed % 4 == 2) domain.causal = domain.grouped = Allow::must;
    if (seed % 4 == 3) domain.S.min = domain.d_k.min = 3, domain.empty_rows = Allow::never;
    const Problem start = drawn_from(seed, domain);
    Problem base = start;
    Choices coin = Choices::from_seed(seed);
    simpler(start, domain, [&](const Problem& p) {
      EXPECT_LT(compare_complexity(p, base), 0);
      EXPECT_NO_THROW(validate(p));
      EXPECT_FALSE(outside(domain, p).has_value());
      const bool taken = coin.chance(1, 8);
      if (taken) base = p;
      return taken;
    });
    ASSERT_FALSE(HasFailure()) << seed;
  }
}

TEST(Simpler, EndsAtTheSmallestProblemIfEverythingFails) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Problem start = drawn_from(seed, light());
    if (start.shape.work() == 0 || start.shape.d_k == 0 || start.shape.d_v == 0) continue;
    const Minimised m = minimise(start, light(), [](const Problem&) { return true; });
    EXPECT_EQ(write_case(m.problem).substr(0, 34),
              "qk1:b1.hq1.hk1.l1.s1.dk1.dv1/" + std::string(info(start.format).name) + "/q");
    EXPECT_LT(m.offers, 200);
  }
}

TEST(Simpler, FindsTheObviousMinimumOfSizesAndValues) {
  // Wherever the search starts, what is left is what the predicate asks for.
  const auto fails = [](const Problem& p) {
    return p.shape.S >= 5 && std::any_of(p.v.bits.begin(), p.v.bits.end(), [&](std::uint64_t bits) {
             return decode(p.format, bits) > 3;
           });
  };
  int started = 0, worst = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Problem start = drawn_from(seed, {});
    if (!fails(start) || start.shape.work() == 0 || start.shape.work() > 50'000) continue;
    ++started;
    const Minimised m = minimise(start, {}, fails);
    const std::string text = write_case(m.problem);
    EXPECT_EQ(m.problem.shape, (Shape{1, 1, 1, 1, 5, 1, 1})) << seed << " " << text;
    EXPECT_EQ(
        std::count(m.problem.v.bits.begin(), m.problem.v.bits.end(), encode(m.problem.format, 4.0)),
        1)
        << seed << " " << text;
    EXPECT_EQ(std::count(m.problem.v.bits.begin(), m.problem.v.bits.end(), 0u), 4) << text;
    EXPECT_EQ(m.problem.mask, MaskSpec{}) << text;
    EXPECT_EQ(m.problem.layouts, Layouts{}) << text;
    worst = std::max(worst, m.offers);
  }
  std::printf("%d starts, at most %d offers\n", started, worst);
  EXPECT_GT(started, 50);
  EXPECT_LT(worst, 3000);
}

TEST(Simpler, KeepsWhatTheFaultNeeds) {
  // A tile of 64 whose tail is lost, seen only under a causal mask with grouped heads.
  const auto fails = [](const Problem& p) {
    return p.shape.S > 64 && p.mask.causal &&
           p.shape.H_q / std::max<std::int64_t>(p.shape.H_kv, 1) >= 2;
  };
  int started = 0, worst = 0;
  for (std::uint64_t seed = 0; seed < 2500; ++seed) {
    const Problem start = drawn_from(seed, {});
    if (!fails(start) || start.shape.work() == 0 || start.shape.work() > 50'000) continue;
    ++started;
    const Minimised m = minimise(start, {}, fails);
    EXPECT_EQ(m.problem.shape, (Shape{1, 2, 1, 1, 65, 1, 1})) << write_case(m.problem);
    EXPECT_EQ(m.problem.mask.diagonal, Diagonal{}) << write_case(m.problem);
    worst = std::max(worst, m.offers);
  }
  std::printf("%d starts, at most %d offers\n", started, worst);
  EXPECT_GT(started, 30);
  EXPECT_LT(worst, 2000);
}

TEST(Simpler, StaysInADomainThatFixesExtents) {
  Domain domain = narrow({}, "d_k=64,d_v=64,causal=yes,grouped=yes,unequal_lengths=no,format=f32");
  domain.work_budget = 100'000;
  const Minimised m =
      minimise(drawn_from(3, domain), domain, [](const Problem& p) { return p.shape.S >= 3; });
  EXPECT_EQ(m.problem.shape, (Shape{1, 2, 1, 3, 3, 64, 64}));
}

/// Cutting rows or keys keeps what the remaining rows see, if the diagonal may be a number.
TEST(Simpler, OffersCutsThatKeepTheVisiblePattern) {
  Problem p =
      read_case("qk1:b1.hq1.hk1.l4.s6.dk1.dv1/f32/causal:br/q:1*4/k:0*6/v:0,1,2,3,4,5", "test");
  const auto last_row_sees_value_3_last = [](const Problem& x) {
    const std::int64_t i = x.shape.L - 1;
    std::int64_t last = -1;
    for (std::int64_t j = 0; j < x.shape.S; ++j) {
      if (visible(x, 0, 0, i, j)) last = j;
    }
    return last >= 0 && x.v.bits[static_cast<std::size_t>(last)] == encode(x.format, 3.0) &&
           last + 1 < x.shape.S;
  };
  p = read_case("qk1:b1.hq1.hk1.l2.s6.dk1.dv1/f32/causal:2/q:1*2/k:0*6/v:0,1,2,3,4,5", "test");
  ASSERT_TRUE(last_row_sees_value_3_last(p));
  const Minimised m = minimise(p, {}, last_row_sees_value_3_last);
  EXPECT_EQ(m.problem.shape, (Shape{1, 1, 1, 1, 2, 1, 1})) << write_case(m.problem);
}

/// Tiles: what is left of 193 keys is 65, and of an odd number above 2 it is 3.
TEST(Simpler, KeepsARemainderAndNoMore) {
  const auto ends_at = [](std::int64_t S, const auto& fails) {
    const Problem start =
        read_case("qk1:b1.hq1.hk1.l1.s" + std::to_string(S) + ".dk1.dv1/f32/q:1/k:1*" +
                      std::to_string(S) + "/v:1*" + std::to_string(S),
                  "text");
    return minimise(start, {}, fails).problem.shape.S;
  };
  const auto beyond_a_tile = [](const Problem& p) { return p.shape.S > 64 && p.shape.S % 64 == 1; };
  for (const std::int64_t S : {129, 193, 321, 1025}) EXPECT_EQ(ends_at(S, beyond_a_tile), 65);
  const auto odd = [](const Problem& p) { return p.shape.S > 2 && p.shape.S % 2 == 1; };
  for (const std::int64_t S : {7, 31, 63, 127}) EXPECT_EQ(ends_at(S, odd), 3);
}

/// A fault of "some key is hidden" ends at causal, whatever hid the key.
TEST(Simpler, PutsTheSimplestMaskInThePlaceOfAnother) {
  const auto hides = [](const Problem& p) {
    return p.shape.S >= 2 && p.shape.L >= 1 && !visible(p, 0, 0, 0, p.shape.S - 1);
  };
  for (const std::string mask : {"causal:tl", "range:0-1", "window:*,0", "mask:1.1.1.3:1,0*2",
                                 "bias:f16:1.1.1.3:0,1,-inf", "range:0-2/mask:1.1.1.3:1,0,1"}) {
    const Problem start =
        read_case("qk1:b1.hq1.hk1.l1.s3.dk1.dv1/f32/" + mask + "/q:1/k:1*3/v:1*3", "text");
    ASSERT_TRUE(hides(start)) << mask;
    EXPECT_EQ(write_case(minimise(start, {}, hides).problem),
              "qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f32/causal:tl/q:0/k:0*2/v:0*2")
        << mask;
  }
}

/// Of few values the simplest are found, not only those that single steps lead to.
TEST(Simpler, FindsTheSimplestOfFewValues) {
  const auto differ = [](const Problem& p) {
    return p.shape.S == 2 && p.v.bits[0] != p.v.bits[1] && p.k.bits[0] != p.k.bits[1];
  };
  for (const std::string values : {"k:1,0/v:1,0", "k:-3,2/v:0x1.5p3,1", "k:0,-1/v:-1,1"}) {
    const Problem start = read_case("qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:5/" + values, "text");
    EXPECT_EQ(write_case(minimise(start, {}, differ).problem),
              "qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:0/k:0,1/v:0,1")
        << values;
  }
}

TEST(CompareComplexity, TellsAnyTwoProblemsApart) {
  std::vector<Problem> problems;
  for (const std::string mask :
       {"causal:br", "range:0-1", "window:*,0", "mask:1.1.1.2:0,1", "mask:1.1.1.2:1,0", "scale:1",
        "scale:2", "cap:1", "sinks:f32:0"}) {
    problems.push_back(
        read_case("qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f32/" + mask + "/q:0/k:0*2/v:0*2", "text"));
  }
  for (std::size_t n = 0; n < problems.size(); ++n) {
    for (std::size_t m = 0; m < problems.size(); ++m) {
      EXPECT_EQ(compare_complexity(problems[n], problems[m]) == 0, n == m) << n << " " << m;
    }
  }
}

TEST(CompareComplexity, IsATotalOrder) {
  std::vector<Problem> problems;
  for (std::uint64_t seed = 0; seed < 40; ++seed) problems.push_back(drawn_from(seed, light()));
  for (const Problem& a : problems) {
    EXPECT_EQ(compare_complexity(a, a), 0);
    for (const Problem& b : problems) {
      EXPECT_EQ(compare_complexity(a, b), -compare_complexity(b, a));
    }
  }
  std::sort(problems.begin(), problems.end(),
            [](const Problem& a, const Problem& b) { return compare_complexity(a, b) < 0; });
  for (std::size_t n = 1; n < problems.size(); ++n) {
    EXPECT_LE(compare_complexity(problems[0], problems[n]), 0);
  }
}

}  // namespace
}  // namespace qkvet
