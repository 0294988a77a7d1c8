// One fault per pass of each oracle: the other one must notice it. Without these tests the
// comparison of the oracles could be blind and nobody would know.
#include <gtest/gtest.h>

#include <qkvet/oracle/compare.hpp>
#include <qkvet/oracle/oracle.hpp>
#include <string>
#include <tuple>

#include "random_problem.hpp"

namespace qkvet {
namespace {

struct Fault {
  const char* name;
  Pass pass;
  bool bias_then_cap = false;
};

const Fault faults[] = {
    {"dot", Pass::dot},
    {"scale", Pass::scale},
    {"cap", Pass::cap},
    {"cap_after_bias", Pass::cap, true},
    {"alibi", Pass::alibi},
    {"bias", Pass::bias},
    {"shift", Pass::shift},
    {"exp", Pass::exp},
    {"sum", Pass::sum},
    {"weight", Pass::weight},
    {"value", Pass::value},
    {"sink", Pass::sink},
    {"causal", Pass::causal},
    {"window", Pass::window},
    {"range", Pass::range},
    {"attend", Pass::attend},
    {"bias_place", Pass::bias_place},
    {"heads", Pass::heads},
};

// Every feature at once, so that each fault has something to spoil; every row sees at least two
// keys.
Problem full_problem() {
  test::Dice dice(20261130);
  Problem problem;
  problem.shape = {2, 4, 2, 5, 9, 3, 2};
  problem.format = Format::binary64;
  const Shape& shape = problem.shape;
  const auto filled = [&](std::array<std::int64_t, 4> extents) {
    Tensor tensor = make_tensor(Format::binary64, extents);
    for (std::uint64_t& bits : tensor.bits) bits = encode(Format::binary64, dice.normal());
    return tensor;
  };
  problem.q = filled({shape.B, shape.H_q, shape.L, shape.d_k});
  problem.k = filled({shape.B, shape.H_kv, shape.S, shape.d_k});
  problem.v = filled({shape.B, shape.H_kv, shape.S, shape.d_v});
  problem.scale = 0.75;
  problem.softcap = 1.5;
  problem.sinks = filled({shape.H_q, 1, 1, 1});
  problem.alibi_slopes = filled({shape.H_q, 1, 1, 1});
  problem.want_lse = true;
  MaskSpec& mask = problem.mask;
  mask.causal = true;
  mask.diagonal = {Diagonal::Kind::fixed, {3, 2}};
  mask.window = Window{3, std::nullopt};
  mask.key_range = KeyRange{{0, 1}, {6, 7}};
  mask.bias = filled({1, shape.H_q, 1, shape.S});
  mask.attend.emplace();
  mask.attend->extents = {shape.B, 1, 1, shape.S};
  for (std::int64_t n = 0; n < shape.B * shape.S; ++n) mask.attend->attend.push_back(n % 4 != 2);
  return problem;
}

class Sabotaged : public testing::TestWithParam<std::tuple<Fault, bool>> {};
INSTANTIATE_TEST_SUITE_P(Passes, Sabotaged,
                         testing::Combine(testing::ValuesIn(faults), testing::Bool()),
                         [](const auto& about) {
                           const bool in_arb = std::get<1>(about.param);
                           return std::string(std::get<0>(about.param).name) +
                                  (in_arb ? "_in_arb" : "_in_definition");
                         });

TEST_P(Sabotaged, IsNoticedByTheOtherOracle) {
  const auto& [fault, in_arb] = GetParam();
  const Problem problem = full_problem();
  ASSERT_NO_THROW(validate(problem));
  Semantics semantics;
  if (fault.bias_then_cap) semantics.cap_order = Semantics::CapOrder::bias_then_cap;
  ASSERT_FALSE(cross_check(problem, semantics).has_value());
  const Sabotage sabotage{fault.pass, -40};
  const auto complaint = in_arb ? cross_check_with(problem, semantics, &sabotage, nullptr)
                                : cross_check_with(problem, semantics, nullptr, &sabotage);
  EXPECT_TRUE(complaint.has_value());
}

TEST(Sabotage, OfBothOraclesAlikeIsNotNoticed) {
  // Shows that what is noticed above is the fault and not its planting.
  for (const Pass pass :
       {Pass::scale, Pass::sum, Pass::window, Pass::range, Pass::attend, Pass::heads}) {
    const Sabotage sabotage{pass, -40};
    const auto complaint = cross_check_with(full_problem(), Semantics{}, &sabotage, &sabotage);
    EXPECT_FALSE(complaint.has_value()) << *complaint;
  }
}

TEST(Sabotage, OfAnAbsentFeatureIsNoFault) {
  const Sabotage causal{Pass::causal, -40};
  EXPECT_FALSE(
      cross_check_with(test::worked_example(1), Semantics{}, &causal, &causal).has_value());
}

}  // namespace
}  // namespace qkvet
