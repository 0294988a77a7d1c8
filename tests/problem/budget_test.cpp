// A domain of long fixed extents: the budget of work must not leave empty problems only.
#include <gtest/gtest.h>

#include <qkvet/problem/draw.hpp>

namespace qkvet {
namespace {

TEST(LeastWork, IsThatOfTheSmallestShapeWithRowsAndKeys) {
  EXPECT_EQ(least_work(Domain{}), 2);
  EXPECT_EQ(least_work(narrow(Domain{}, "L=256,S=128,d_k=64,d_v=32,H_q=4,H_kv=2")),
            std::int64_t{256} * 128 * 96 * 4);
}

TEST(Draw, LongFixedExtentsGiveRealProblems) {
  Domain domain = narrow(Domain{}, "d_k=64,d_v=64,L=256,S=256,causal=yes");
  domain.work_budget = 4 * least_work(domain);
  int real = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Choices choices = Choices::from_seed(seed);
    const Problem problem = draw(choices, domain).problem;
    EXPECT_EQ(problem.shape.L, 256);
    EXPECT_EQ(problem.shape.d_v, 64);
    real += problem.shape.outputs() > 0 ? 1 : 0;
  }
  EXPECT_GE(real, 10);
}

}  // namespace
}  // namespace qkvet
