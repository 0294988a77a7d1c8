// Arb and the definition on many problems; a fault planted in either must be noticed.
#include <gtest/gtest.h>

#include <qkvet/oracle/compare.hpp>
#include <qkvet/oracle/oracle.hpp>

#include "random_problem.hpp"

namespace qkvet {
namespace {

TEST(CrossCheck, AgreesOnRandomProblems) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Problem problem = test::random_problem(seed, seed % 3 == 0 ? 20 : 1);
    Semantics semantics;
    if (seed % 2 == 1) semantics.cap_order = Semantics::CapOrder::bias_then_cap;
    const auto complaint = cross_check(problem, semantics);
    ASSERT_FALSE(complaint.has_value()) << "seed " << seed << ": " << *complaint;
  }
}

}  // namespace
}  // namespace qkvet
