// The error bounds of the double rungs themselves against MPFR: a rounding test meets a bound that
// is a little too small once in a million outputs, this meets it at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <qkvet/ladder/certify.hpp>
#include <qkvet/ladder/compensated.hpp>

#include "hostile.hpp"
#include "nearest.hpp"

namespace qkvet {
namespace {

using namespace ladder;

// The largest error / bound of each kind; NaN never passes for small.
struct Worst {
  double row = 0, sharp = 0, compensated = 0, lse = 0, weight = 0;
  std::int64_t rows = 0, unusable = 0, columns = 0;

  static void raise(double& most, double error, double bound) {
    const double ratio = error <= 0 ? 0 : error / bound;
    most = ratio <= most ? most : ratio;
  }
};

void measure(const Problem& p, const Semantics& semantics, Worst& worst) {
  const Kernels& kernels = *available_kernels().back();
  const HeadBlocks head(p, 0, 0);
  FirstRows rows(p, semantics, kernels);
  rows.compute(head, 0, 0, 0, p.shape.L);
  CompensatedRow compensated;
  for (std::int64_t i = 0; i < p.shape.L; ++i) {
    if (rows.visible_keys(i) == 0) continue;
    const RowError& e = rows.error(i);
    ++worst.rows;
    if (!e.usable) ++worst.unusable;
    if (!e.usable) continue;
    const test::MpfrRow exact(p, semantics, 0, 0, i, 512);
    const bool again = compensated.compute(p, head, rows, kernels, 0, 0, i, i);
    const auto d_v = static_cast<std::size_t>(p.shape.d_v);
    for (std::size_t d = 0; d < d_v; ++d) {
      const auto at = static_cast<std::int64_t>(d);
      const double o = rows.numerators(i)[d] / e.sum, error = exact.distance(d, o);
      Worst::raise(worst.row, error, e.alpha * head.value_max[d] + e.beta * std::fabs(o) + e.tau);
      Worst::raise(worst.sharp, error, sharp_error(head, rows, i, at, o));
      ++worst.columns;
      if (!again) continue;
      const Bounded c = compensated.output(head, at);
      Worst::raise(worst.compensated, exact.distance(d, c.value), c.error);
    }
    const Bounded lse = log_sum(rows, i);
    Worst::raise(worst.lse, exact.distance(d_v, lse.value), lse.error);
    for (std::int64_t j = 0; j < p.shape.S; ++j) {
      const Bounded w = weight(rows, i, j);
      Worst::raise(worst.weight, exact.distance(d_v + 1 + static_cast<std::size_t>(j), w.value),
                   w.error);
    }
  }
}

TEST(LadderBound, HoldsTheErrorOfEveryRungOnHostileProblems) {
  Worst worst;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    for (int stratum = 0; stratum < test::strata; ++stratum) {
      if (static_cast<test::Stratum>(stratum) == test::Stratum::wide) continue;  // > 512 bits
      for (const Format format : {Format::binary64, Format::binary32, Format::bfloat16}) {
        Semantics semantics;
        if (seed % 3 == 1) semantics.cap_order = Semantics::CapOrder::bias_then_cap;
        measure(test::hostile_problem(static_cast<test::Stratum>(stratum), format, 1000 + seed),
                semantics, worst);
      }
    }
  }
  EXPECT_LE(worst.row, 1);
  EXPECT_LE(worst.sharp, 1);
  EXPECT_LE(worst.compensated, 1);
  EXPECT_LE(worst.lse, 1);
  EXPECT_LE(worst.weight, 1);
  // How near hostile data come is measured, not derived: these lines only say when that changes, and
  // the tests below reach the row bound by construction.
  EXPECT_GT(worst.sharp, 0.05);
  EXPECT_GT(worst.compensated, 0.1);
  EXPECT_GT(worst.lse, 0.1);
  EXPECT_GT(worst.weight, 0.1);
  EXPECT_GT(worst.columns, 10'000);
  EXPECT_LT(worst.unusable, worst.rows / 50);
  std::printf("largest error/bound: row %.3f, sharp %.3f, compensated %.3f, lse %.3f, weight %.3f; "
              "%ld columns, %ld of %ld rows without a bound\n",
              worst.row, worst.sharp, worst.compensated, worst.lse, worst.weight, worst.columns,
              worst.unusable, worst.rows);
}

// A key k with fl(q k) just above `score` whose rounding error is nearly half a unit, upward or
// downward: `share` of it.
double key_of_large_error(double q, double score, bool upward, double share) {
  for (double k = score * (1 + 0x1p-20) / q;; k = std::nextafter(k, 2 * k)) {
    const double error = -std::fma(q, k, -(q * k));  // computed - exact, in units of u score below
    if ((upward ? error : -error) >= share * 0x1p-53 * score) return k;
  }
}

// Two keys of nearly equal scores, V = 1 and -1: what is left is the bound of the scores.
Problem two_keys(double q, double first, double second) {
  Problem p;
  p.format = Format::binary64;
  p.shape = {1, 1, 1, 1, 2, 1, 1};
  p.scale = 1;
  const auto tensor = [&](std::initializer_list<double> values) {
    Tensor t = make_tensor(p.format, {1, 1, static_cast<std::int64_t>(values.size()), 1});
    std::transform(values.begin(), values.end(), t.bits.begin(),
                   [&](double x) { return encode(p.format, x); });
    return t;
  };
  p.q = tensor({q});
  p.k = tensor({first, second});
  p.v = tensor({1, -1});
  return p;
}

// docs/ladder.md 10: with d_k = 1 a score s meets one rounding, u s, where the bound counts two (1 of
// the chain, 1 of the scale). Two keys of weight 1/2 whose errors point apart move the output by
// 1/2 (u s + u s) and each weight by half of that; the bounds are 2 u s and (w Z + p H) / W = 2 u s. So
// a half and a quarter are reached, less what the errors fall short, and the other terms, which are
// below 2^-10 of 2 u s at this size.
TEST(LadderBound, TwoRoundingsAreCountedWhereOneIsReached) {
  constexpr double share = 0.95, score = 0x1p22;
  const double q = 0x1.6a09e667f3bcdp0;
  const Problem p = two_keys(q, key_of_large_error(q, score, true, share),
                             key_of_large_error(q, score, false, share));
  validate(p);
  const HeadBlocks head(p, 0, 0);
  FirstRows rows(p, {}, *available_kernels().back());
  rows.compute(head, 0, 0, 0, 1);
  const RowError& e = rows.error(0);
  ASSERT_TRUE(e.usable);
  const test::MpfrRow exact(p, {}, 0, 0, 0, 512);
  const double o = rows.numerators(0)[0] / e.sum, error = exact.distance(0, o);
  const double row = error / (e.alpha + e.beta * std::fabs(o) + e.tau);
  const double sharp = error / sharp_error(head, rows, 0, 0, o);
  const Bounded w = weight(rows, 0, 0);
  const double single = exact.distance(2, w.value) / w.error;
  for (const double ratio : {row, sharp, 2 * single}) {
    EXPECT_GE(ratio, share / 2 * (1 - 0x1p-7));
    EXPECT_LE(ratio, 0.5);
  }
}

}  // namespace
}  // namespace qkvet
