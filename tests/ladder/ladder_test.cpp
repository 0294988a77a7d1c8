// The ladder on hostile problems against Arb and MPFR, rung by rung, and on values known by hand.
#include <gtest/gtest.h>

#include <qkvet/ladder/ladder.hpp>

#include "compare.hpp"

namespace qkvet {
namespace {

constexpr Format formats[] = {Format::binary64, Format::binary32, Format::binary16,
                              Format::bfloat16};

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
  // Every rung has been used, and most values are settled by double alone.
  for (const Step step : {Step::first, Step::sharp, Step::compensated, Step::exact, Step::arb}) {
    EXPECT_GT(counts.by_step[static_cast<std::size_t>(step)], 0) << static_cast<int>(step);
  }
}

}  // namespace
}  // namespace qkvet
