// The text of calibration/critical.txt, and what is read off a line of it.
#include <gtest/gtest.h>

#include <cmath>
#include <qkvet/check/statistics.hpp>
#include <qkvet/num/error.hpp>

namespace {

using namespace qkvet;

const std::string good =
    "f32 cases 599 kernels 33 seed 7 date 2026-11-30 z 5 agg 2 along 4 prob 0.5 lse 7 lse-sum 3\n";

TEST(Calibration, OfEachStorageFormatOfTheFleetIsThere) {
  for (const Format format : {Format::binary32, Format::bfloat16, Format::binary16,
                              Format::binary64}) {
    const Calibration* calibration = calibration_of(format);
    ASSERT_NE(calibration, nullptr);
    EXPECT_GE(calibration->cases, 400);
    EXPECT_GT(calibration->rate(), 0);
    EXPECT_LT(calibration->rate(), 0.02);
    for (const double critical : calibration->critical) EXPECT_GT(critical, 0);
  }
}

TEST(Calibration, IsReadBackAsItWasWritten) {
  const auto read = read_calibrations("# a comment\n\n" + good, "t");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(write_calibration(read[0]), good);
  EXPECT_DOUBLE_EQ(read[0].rate(), 0.01);
}

TEST(Calibration, ABadLineIsNamed) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      (void)read_calibrations(text, "critical.txt");
    } catch (const InputError& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_data);
      return error.what();
    }
    return "read";
  };
  EXPECT_NE(message("f99" + good.substr(3)).find("critical.txt:1: 'f99' is no format"),
            std::string::npos);
  EXPECT_NE(message(good + good).find("critical.txt:2: 'f32' comes twice"), std::string::npos);
  EXPECT_NE(message(good.substr(0, good.size() - 3)).find("lse-sum is missing"), std::string::npos);
  EXPECT_NE(message(good.substr(0, good.size() - 1) + " more").find("unexpected 'more'"),
            std::string::npos);
  std::string negative = good;
  negative.replace(negative.find("z 5"), 3, "z -5");
  EXPECT_NE(message(negative).find("z is '-5'"), std::string::npos);
  std::string nan = good;
  nan.replace(nan.find("agg 2"), 5, "agg nan");
  EXPECT_NE(message(nan).find("agg is 'nan'"), std::string::npos);
}

TEST(Calibration, TheFurthestExcessIsTaken) {
  const Calibration calibration = read_calibrations(good, "t").front();
  Statistics seen;
  seen.values = {5, 2, 4, 0.5, 7, 3};  // equal is not above
  EXPECT_FALSE(excess_of(seen, calibration));
  seen.values = {5.5, 3, 0, 0, 0, 0};
  const auto excess = excess_of(seen, calibration);
  ASSERT_TRUE(excess);
  EXPECT_EQ(excess->statistic, Statistic::agg);
  EXPECT_FALSE(excess->of_lse());
}

/// lse-sum of 4 rows with errors of one sigma each.
double sum_of_rows(std::int64_t kv_heads, bool repeated) {
  Problem problem;
  problem.shape = {1, 4, kv_heads, 1, 1, 1, 1};
  Outputs outputs;
  outputs.o = make_tensor(Format::binary32, {1, 4, 1, 1});
  outputs.lse_format = Format::binary32;
  Admissible admissible;
  Spreads spreads;
  for (int row = 0; row < 4; ++row) {
    admissible.o.emplace_back();
    Place place;
    place.exact = {0, 0};
    place.radius = 100;
    admissible.lse.push_back(place);
    outputs.lse.push_back(encode(Format::binary32, 1.0));
    spreads.o.emplace_back();
    spreads.lse.push_back({1, 0});
    spreads.common.push_back(0);
    spreads.lse_common.push_back(0);
    spreads.level.push_back(repeated ? 3 : row);
  }
  return statistics_of(problem, outputs, admissible, spreads)[Statistic::lse_sum];
}

TEST(Calibration, RowsOfOneHeadAreOneWitness) {
  EXPECT_DOUBLE_EQ(sum_of_rows(4, false), 2) << "four of one sigma: 4 / sqrt 4";
  EXPECT_DOUBLE_EQ(sum_of_rows(2, false), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(sum_of_rows(1, false), 1);
  EXPECT_DOUBLE_EQ(sum_of_rows(4, true), 1) << "heads that repeat each other are one";
}

TEST(Calibration, AnErrorWithinProbIsNoExcessHoweverFarTheFleetStaysBelow) {
  const Calibration calibration = read_calibrations(good, "t").front();
  Statistics seen;
  seen.values = {0, 0, 0, 1, 0, 0};
  EXPECT_FALSE(excess_of(seen, calibration)) << "one rounding at the end comes as far as its bound";
  seen.values = {0, 0, 0, 1.01, 0, 0};
  const auto excess = excess_of(seen, calibration);
  ASSERT_TRUE(excess);
  EXPECT_EQ(excess->critical, 1);
}

}  // namespace
