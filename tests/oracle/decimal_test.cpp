// Proven digits: known constants, exact values, ties, special rows.
#include <gtest/gtest.h>

#include <limits>
#include <qkvet/oracle/oracle.hpp>

#include "random_problem.hpp"

namespace qkvet {
namespace {

TEST(Decimal, PrintsTheWorkedExample) {
  // The stored key is ln 3 rounded to binary64, so 17.5 itself shows only to 16 digits.
  const auto text = decimal_row(test::worked_example(1), Semantics{}, 0, 0, 0, 15);
  ASSERT_EQ(text.size(), 2U);
  EXPECT_EQ(text[0], "17.5");
  EXPECT_EQ(text[1], "1.38629436111989");  // ln 4
}

TEST(Decimal, PrintsLogarithmOfTwoToFiftyDigits) {
  const auto text = decimal_row(test::worked_example(0), Semantics{}, 0, 0, 0, 50);
  EXPECT_EQ(text[0], "15");
  EXPECT_EQ(text[1], "0.69314718055994530941723212145817656807550013436026");
}

TEST(Decimal, PrintsAThousandDigits) {
  const auto text = decimal_row(test::worked_example(0), Semantics{}, 0, 0, 0, 1000);
  EXPECT_EQ(text[1].size(), 1002U);
  EXPECT_EQ(text[1].substr(0, 12), "0.6931471805");
}

TEST(Decimal, RoundsATieThatIsExactToEven) {
  Problem problem = test::worked_example(0);
  problem.v.set(0, 0, 0, 0, 0.25);
  problem.v.set(0, 0, 1, 0, 0);  // The mean 0.125 lies halfway between 0.12 and 0.13.
  EXPECT_EQ(decimal_row(problem, Semantics{}, 0, 0, 0, 2)[0], "0.12");
  EXPECT_EQ(decimal_row(problem, Semantics{}, 0, 0, 0, 3)[0], "0.125");
}

TEST(Decimal, ShowsTheCertainDigitsOfATieThatNoPrecisionDecides) {
  Problem problem = test::worked_example(0);  // Weights of a third: never exact in binary.
  problem.shape.S = 3;
  problem.k = make_tensor(Format::binary64, {1, 1, 3, 1});
  problem.v = make_tensor(Format::binary64, {1, 1, 3, 1});
  problem.v.set(0, 0, 0, 0, 0.375);
  EXPECT_EQ(decimal_row(problem, Semantics{}, 0, 0, 0, 2)[0], "0.1");
  EXPECT_EQ(decimal_row(problem, Semantics{}, 0, 0, 0, 3)[0], "0.125");
}

TEST(Decimal, PrintsLargeAndSmallNumbers) {
  Problem problem = test::worked_example(0);
  problem.v.set(0, 0, 0, 0, 0x1p400);
  problem.v.set(0, 0, 1, 0, 0x1p400);
  EXPECT_EQ(decimal_row(problem, Semantics{}, 0, 0, 0, 5)[0], "2.5822e120");
  problem.v.set(0, 0, 0, 0, -0x1p-1074);
  problem.v.set(0, 0, 1, 0, 0);
  EXPECT_EQ(decimal_row(problem, Semantics{}, 0, 0, 0, 5)[0], "-2.4703e-324");
}

TEST(Decimal, NamesSpecialRows) {
  Problem problem = test::worked_example(1);
  problem.mask.key_range = KeyRange{{0}, {0}};
  EXPECT_EQ(decimal_row(problem, Semantics{}, 0, 0, 0, 5), (std::vector<std::string>{"0", "-inf"}));
  problem.sinks = make_tensor(Format::binary64, {1, 1, 1, 1});
  problem.sinks->set(0, 0, 0, 0, -2.5);
  EXPECT_EQ(decimal_row(problem, Semantics{}, 0, 0, 0, 5), (std::vector<std::string>{"0", "-2.5"}));
  problem = test::worked_example(1);
  problem.v.set(0, 0, 1, 0, std::numeric_limits<double>::infinity());
  EXPECT_EQ(decimal_row(problem, Semantics{}, 0, 0, 0, 5),
            (std::vector<std::string>{"undefined", "1.3863"}));
}

}  // namespace
}  // namespace qkvet
