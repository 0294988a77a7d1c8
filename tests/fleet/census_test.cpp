// The stated rate of SUSPECT, on the honest kernels of the fleet and seeds that did not calibrate
// it. docs/bounds.md 10.5
#include "census.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace {

using namespace qkvet;

struct Share {
  Format format;
  std::int64_t cases;
};

class Census : public testing::TestWithParam<Share> {};

TEST_P(Census, HonestKernelsAreSuspectAtNoMoreThanTheStatedRate) {
  const auto rate = fleet::rate_of_suspects(GetParam().format, 99, GetParam().cases);
  ASSERT_TRUE(rate);
  std::printf("%s\n", rate->text().c_str());
  EXPECT_GT(rate->pairs, GetParam().cases * 20);
  EXPECT_TRUE(rate->holds()) << rate->text();
  EXPECT_EQ(rate->suspect, 0) << testing::PrintToString(rate->messages);
}

INSTANTIATE_TEST_SUITE_P(Formats, Census,
                         testing::Values(Share{Format::binary32, 120},
                                         Share{Format::bfloat16, 40},
                                         Share{Format::binary16, 40},
                                         Share{Format::binary64, 40}),
                         [](const auto& share) {
                           return std::string(qkvet::info(share.param.format).name);
                         });

}  // namespace
