// The ladder on hostile problems against Arb and MPFR, rung by rung, and on values known by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <qkvet/ladder/ladder.hpp>

#include "compare.hpp"
#include "nearest.hpp"

namespace qkvet {
namespace {

constexpr Format formats[] = {Format::binary64, Format::binary32, Format::binary16,
                              Format::bfloat16};

RoundedRow row_of(const Problem& problem, Format format, std::int64_t i = 0) {
  LadderOptions options;
  options.format = format;
  options.weights = true;
  return Ladder(problem, Semantics{}, options).row(0, 0, i);
}

// One query of zeros: all scores are 0.
Problem uniform(Format format, const std::vector<double>& values) {
  Problem p;
  p.format = format;
  p.shape.S = static_cast<std::int64_t>(values.size());
  p.q = make_tensor(format, {1, 1, 1, 1});
  p.k = make_tensor(format, {1, 1, p.shape.S, 1});
  p.v = make_tensor(format, {1, 1, p.shape.S, 1});
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    p.k.set(0, 0, j, 0, static_cast<double>(j));
    p.v.set(0, 0, j, 0, values[static_cast<std::size_t>(j)]);
  }
  return p;
}

TEST(Ladder, AgreesWithArbAndMpfrOnHostileProblems) {
  test::Counts counts;
  for (std::uint64_t seed = 0; counts.outputs < 20'000; ++seed) {
    for (int stratum = 0; stratum < test::strata; ++stratum) {
      const Format input = formats[(seed + static_cast<std::uint64_t>(stratum)) % 4];
      const Format output = seed % 8 < 4 ? input : formats[seed % 4];
      test::compare(static_cast<test::Stratum>(stratum), input, output, seed, counts);
      ASSERT_EQ(counts.complaint, "");
    }
  }
  // Every rung has been used, and Arb's doubles alone are a judge of most values.
  for (const Step step : {Step::first, Step::sharp, Step::compensated, Step::exact, Step::arb}) {
    EXPECT_GT(counts.by_step[static_cast<std::size_t>(step)], 0) << static_cast<int>(step);
  }
  EXPECT_GT(counts.decided_by_arb_doubles, counts.values / 2);
}

TEST(Ladder, TheJudgeOfTheComparisonTellsNeighboursApart) {
  for (const Format format : formats) {
    const Problem p = test::hostile_problem(test::Stratum::gauss, format, 5);
    const RoundedRow row = row_of(p, format);
    const test::MpfrRow mpfr(p, Semantics{}, 0, 0, 0, 512);
    for (std::size_t d = 0; d < row.o.size(); ++d) {
      EXPECT_TRUE(mpfr.nearest(d, format, row.o[d].bits));
      if (p.shape.S == 1) continue;
      EXPECT_FALSE(mpfr.nearest(d, format, row.o[d].bits + 1));
      EXPECT_FALSE(mpfr.nearest(d, format, row.o[d].bits - 1));
    }
  }
}

TEST(Ladder, EveryRungGivesTheSameAnswer) {
  for (const Format format : {Format::binary32, Format::bfloat16}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const auto stratum = static_cast<test::Stratum>(seed % test::strata);
      const Problem p = test::hostile_problem(stratum, format, 500 + seed);
      LadderOptions options;
      options.format = format;
      const Semantics semantics;
      Ladder whole(p, semantics, options);
      for (const Step from : {Step::sharp, Step::compensated, Step::arb}) {
        options.from = from;
        Ladder upper(p, semantics, options);
        for (std::int64_t i = 0; i < p.shape.L; ++i) {
          const RoundedRow &a = whole.row(0, 0, i), &b = upper.row(0, 0, i);
          for (std::size_t d = 0; d < a.o.size(); ++d) EXPECT_EQ(a.o[d].bits, b.o[d].bits);
          EXPECT_EQ(a.lse.bits, b.lse.bits);
        }
      }
    }
  }
}

TEST(Ladder, EveryPathGivesTheSameAnswerAndTheSameRung) {
  const auto paths = loops::available_kernels();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto stratum = static_cast<test::Stratum>(seed % test::strata);
    const Problem p = test::hostile_problem(stratum, formats[seed % 4], 900 + seed);
    const Semantics semantics;
    for (const loops::Kernels* path : paths) {
      LadderOptions options;
      options.kernels = path;
      Ladder a(p, semantics, options);
      options.kernels = paths.front();
      Ladder b(p, semantics, options);
      for (std::int64_t i = 0; i < p.shape.L; ++i) {
        const RoundedRow &x = a.row(0, 0, i), &y = b.row(0, 0, i);
        for (std::size_t d = 0; d < x.o.size(); ++d) {
          EXPECT_EQ(x.o[d].bits, y.o[d].bits);
          EXPECT_EQ(x.o[d].step, y.o[d].step);
        }
      }
    }
  }
}

// Two groups of keys, of scores 0 and 1, each with these two values: exact whatever the weights.
Problem two_groups(Format format, double a, double b) {
  Problem p = uniform(format, {a, b, b, a});
  p.q.set(0, 0, 0, 0, 1);
  for (std::int64_t j = 0; j < 4; ++j) p.k.set(0, 0, j, 0, static_cast<double>(j / 2));
  return p;
}

TEST(Ladder, RoundsExactTiesToEven) {
  // bfloat16 has 8 bits: 1 and 1 + 2^-7 are neighbours, their mean is a tie.
  const auto mean = [](double a, double b) {
    const Rounded o = row_of(two_groups(Format::bfloat16, a, b), Format::bfloat16).o[0];
    EXPECT_EQ(o.step, Step::exact);
    const Rounded plain = row_of(uniform(Format::bfloat16, {a, b}), Format::bfloat16).o[0];
    EXPECT_EQ(o.bits, plain.bits);
    return decode(Format::bfloat16, o.bits);
  };
  EXPECT_EQ(mean(1, 1 + 0x1p-7), 1.0);
  EXPECT_EQ(mean(1 + 0x1p-7, 1 + 0x1p-6), 1 + 0x1p-6);
  EXPECT_EQ(mean(-1, -1 - 0x1p-7), -1.0);
}

TEST(Ladder, TheSameRowAskedTwiceGivesTheSameAnswer) {
  const Problem p = test::hostile_problem(test::Stratum::gauss, Format::binary32, 3);
  const Semantics semantics;
  Ladder ladder(p, semantics, {});
  const RoundedRow once = ladder.row(0, 0, 0);
  const RoundedRow& twice = ladder.row(0, 0, 0);
  for (std::size_t d = 0; d < once.o.size(); ++d) EXPECT_EQ(once.o[d].bits, twice.o[d].bits);
}

TEST(Ladder, DecidesWhatDoubleRoundingGetsWrong) {
  // The mean lies above the tie of bfloat16 by 2^-30: rounded to float first it would be the tie.
  const Problem p = uniform(Format::binary32, {1, 1 + 0x1p-7 + 0x1p-23});
  EXPECT_EQ(decode(Format::bfloat16, row_of(p, Format::bfloat16).o[0].bits), 1 + 0x1p-7);
  Problem q = uniform(Format::binary64, {1, 1 + 0x1p-7 + 0x1p-28});
  EXPECT_EQ(decode(Format::bfloat16, row_of(q, Format::bfloat16).o[0].bits), 1 + 0x1p-7);
}

TEST(Ladder, ZerosHaveTheirSigns) {
  const Problem exact = two_groups(Format::binary32, 1, -1);
  EXPECT_EQ(row_of(exact, Format::binary32).o[0].bits, 0U);
  EXPECT_EQ(row_of(exact, Format::binary32).o[0].step, Step::exact);
  const double eta = info(Format::binary32).eta;
  const Problem tiny = uniform(Format::binary32, {-eta, 0, 0});  // -eta/3 rounds to -0
  EXPECT_EQ(row_of(tiny, Format::binary32).o[0].bits, encode(Format::binary32, -0.0));
  const Problem tie = uniform(Format::binary32, {eta, 0});  // eta/2: a tie with 0
  EXPECT_EQ(row_of(tie, Format::binary32).o[0].bits, 0U);
}

TEST(Ladder, KnowsValuesAtTheTopOfTheFormat) {
  const double most = info(Format::binary16).max;
  const Problem p = uniform(Format::binary16, {most, most, most});
  EXPECT_EQ(decode(Format::binary16, row_of(p, Format::binary16).o[0].bits), most);
  // From a wider format: 65520 is the tie between the largest number and infinity.
  EXPECT_TRUE(std::isinf(decode(Format::binary16,
      row_of(uniform(Format::binary32, {65520}), Format::binary16).o[0].bits)));
  EXPECT_EQ(decode(Format::binary16,
      row_of(uniform(Format::binary32, {65519}), Format::binary16).o[0].bits), most);
}

TEST(Ladder, AnswersSpecialRows) {
  Problem p = uniform(Format::binary32, {1, 2});
  p.mask.key_range = KeyRange{{0}, {0}};
  RoundedRow row = row_of(p, Format::binary32);
  EXPECT_EQ(row.row_class, RowClass::empty);
  EXPECT_EQ(row.o[0].bits, 0U);
  EXPECT_EQ(decode(Format::binary32, row.lse.bits), -std::numeric_limits<double>::infinity());
  p.sinks = make_tensor(Format::binary32, {1, 1, 1, 1});
  p.sinks->set(0, 0, 0, 0, 2.5);
  EXPECT_EQ(decode(Format::binary32, row_of(p, Format::binary32).lse.bits), 2.5);
  p = uniform(Format::binary32, {1, std::nan("")});
  EXPECT_EQ(row_of(p, Format::binary32).o[0].step, Step::undefined);
  EXPECT_NE(row_of(p, Format::binary32).lse.step, Step::undefined);
  p.mask.key_range = KeyRange{{0}, {1}};  // Hidden: of no importance.
  EXPECT_EQ(decode(Format::binary32, row_of(p, Format::binary32).o[0].bits), 1.0);
  p = uniform(Format::binary32, {1, 2});
  p.q.set(0, 0, 0, 0, std::nan(""));
  row = row_of(p, Format::binary32);
  EXPECT_EQ(row.row_class, RowClass::nonfinite);
  EXPECT_EQ(row.lse.step, Step::undefined);
}

TEST(Ladder, GivesBothNeighboursWhereEvenTheLastPrecisionIsInDoubt) {
  // Two saturated scores differ by about 2 cap e^(-2 x / cap) = e^-8000, beyond 8192 bits; their
  // values have a mean on a tie, and the softcap hides from the exact test what is equal.
  Problem p = uniform(Format::bfloat16, {1, 1 + 0x1p-7});
  p.softcap = 1;
  p.q.set(0, 0, 0, 0, 1);
  p.k.set(0, 0, 0, 0, 4000);
  p.k.set(0, 0, 1, 0, 4016);
  const Rounded o = row_of(p, Format::bfloat16).o[0];
  EXPECT_EQ(o.step, Step::undecided);
  EXPECT_EQ(decode(Format::bfloat16, o.bits), 1);
  EXPECT_EQ(decode(Format::bfloat16, o.above), 1 + 0x1p-7);
}

TEST(Ladder, KnowsThatTheLogSumExpLiesAboveAScoreOnATie) {
  // lse = s + e^-9986 or so, where s = 1 + 2^-8 lies halfway between two numbers of bfloat16.
  Problem p = uniform(Format::bfloat16, {1, 2});
  p.scale = 1;
  p.shape.d_k = 2;
  p.q = make_tensor(p.format, {1, 1, 1, 2});
  p.k = make_tensor(p.format, {1, 1, 2, 2});
  p.q.set(0, 0, 0, 0, 1);
  p.q.set(0, 0, 0, 1, 0x1p-8);
  p.k.set(0, 0, 0, 0, 1);
  p.k.set(0, 0, 0, 1, 1);
  p.k.set(0, 0, 1, 0, -9984);
  p.k.set(0, 0, 1, 1, 0);
  const Rounded two = row_of(p, Format::bfloat16).lse;
  EXPECT_EQ(two.step, Step::arb);
  EXPECT_EQ(decode(Format::bfloat16, two.bits), 1 + 0x1p-7);
  p.q.set(0, 0, 0, 0, -1);  // s = -1 - 2^-7 - 2^-8, halfway again, and the other score far below.
  p.q.set(0, 0, 0, 1, -3 * 0x1p-8);
  p.k.set(0, 0, 1, 0, 9984);
  EXPECT_EQ(decode(Format::bfloat16, row_of(p, Format::bfloat16).lse.bits), -1 - 0x1p-7);
  p.mask.attend = BoolMask{{1, 1, 1, 2}, {1, 0}};  // Alone, the first score is a tie: to even.
  EXPECT_EQ(decode(Format::bfloat16, row_of(p, Format::bfloat16).lse.bits), -1 - 0x1p-6);
}

}  // namespace
}  // namespace qkvet
