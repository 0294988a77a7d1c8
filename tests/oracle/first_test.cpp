// The first rung must contain what Arb encloses, on every field that both compute.
#include <gtest/gtest.h>

#include <cstring>
#include <qkvet/oracle/first.hpp>
#include <qkvet/oracle/oracle.hpp>
#include <vector>

#include "random_problem.hpp"

namespace qkvet {
namespace {

// Arb's interval is one or two doubles wide itself: where the truth lies within it is not known, so
// the outer interval must reach at least into it from both sides.
bool agrees(const Interval& first, const Interval& arb) {
  return first.lo <= arb.hi && arb.lo <= first.hi && !(first.lo > first.hi);
}

void compare(const RowEnclosure& first, const RowEnclosure& arb, std::uint64_t seed) {
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  ASSERT_EQ(first.row_class, arb.row_class);
  EXPECT_EQ(first.visible_nan, arb.visible_nan);
  EXPECT_EQ(first.visible_inf, arb.visible_inf);
  EXPECT_EQ(first.hidden_nonfinite, arb.hidden_nonfinite);
  EXPECT_EQ(first.trace.n, arb.trace.n);
  EXPECT_TRUE(agrees(first.trace.m, arb.trace.m));
  EXPECT_TRUE(agrees(first.trace.lse, arb.trace.lse))
      << first.trace.lse.lo << " " << arb.trace.lse.lo;
  EXPECT_TRUE(agrees(first.trace.lse_without_sink, arb.trace.lse_without_sink));
  ASSERT_EQ(first.trace.keys.size(), arb.trace.keys.size());
  for (std::size_t j = 0; j < first.trace.keys.size(); ++j) {
    const KeyTrace &a = first.trace.keys[j], &b = arb.trace.keys[j];
    EXPECT_EQ(a.visible, b.visible) << j;
    EXPECT_EQ(a.finite, b.finite) << j;
    EXPECT_EQ(a.sink, b.sink) << j;
    EXPECT_TRUE(agrees(a.x, b.x)) << j;
    EXPECT_TRUE(agrees(a.bias, b.bias)) << j << " " << a.bias.lo << " " << b.bias.lo;
    EXPECT_TRUE(agrees(a.s, b.s)) << j << " " << a.s.lo << " " << b.s.lo;
    EXPECT_TRUE(agrees(a.weight, b.weight)) << j;
  }
  ASSERT_EQ(first.o.size(), arb.o.size());
  for (std::size_t d = 0; d < first.o.size(); ++d) {
    EXPECT_TRUE(agrees(first.o[d], arb.o[d])) << d << " " << first.o[d].lo << " " << arb.o[d].lo;
    EXPECT_EQ(first.columns[d].visible_nan, arb.columns[d].visible_nan);
    EXPECT_EQ(first.columns[d].visible_inf, arb.columns[d].visible_inf);
    EXPECT_EQ(first.columns[d].hidden_nonfinite, arb.columns[d].hidden_nonfinite);
  }
}

TEST(FirstRung, ContainsArbOnRandomProblems) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const Problem problem = test::random_problem(seed, seed % 3 == 0 ? 20 : 1);
    ASSERT_NO_THROW(validate(problem)) << seed;
    Semantics semantics;
    if (seed % 2 == 1) semantics.cap_order = Semantics::CapOrder::bias_then_cap;
    RowEncloser first(problem, semantics, Rung::first), arb(problem, semantics, Rung::arb);
    const Shape& shape = problem.shape;
    for (std::int64_t b = 0; b < shape.B; ++b) {
      for (std::int64_t h = 0; h < shape.H_q; ++h) {
        for (std::int64_t i = 0; i < shape.L; ++i) {
          compare(first.row(b, h, i), arb.row(b, h, i), seed);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

// Everything that a row's bounds are made from, in one list.
std::vector<double> numbers_of(const RowEnclosure& row) {
  std::vector<double> all = {row.trace.Q1, row.trace.q_max};
  const auto add = [&](const Interval& x) { all.insert(all.end(), {x.lo, x.hi}); };
  for (const Interval& x : {row.trace.m, row.trace.lse, row.trace.lse_without_sink}) add(x);
  for (const KeyTrace& key : row.trace.keys) {
    all.insert(all.end(), {key.A, key.K1, key.k_max});
    for (const Interval& x : {key.x, key.bias, key.s, key.weight}) add(x);
  }
  for (const Interval& o : row.o) add(o);
  return all;
}

TEST(FirstRung, GivesTheSameBitsOnEveryPathOfTheLoops) {
  const auto paths = loops::available_kernels();
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Problem problem = test::random_problem(seed, 3);
    FirstRung plain(problem, {}, *paths.front());
    for (const loops::Kernels* path : paths.subspan(1)) {
      FirstRung other(problem, {}, *path);
      for (std::int64_t i = 0; i < problem.shape.L; ++i) {
        const std::vector<double> a = numbers_of(plain.row(0, 0, i)), b = numbers_of(other.row(0, 0, i));
        ASSERT_EQ(a.size(), b.size());
        ASSERT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0)
            << path->name << ", seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace qkvet
