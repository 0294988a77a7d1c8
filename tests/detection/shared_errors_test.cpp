// Errors of honest kernels that are no random walk: what a key's error moves in all columns at
// once, and weights that are rounded alike when they are added. Either made an honest kernel
// SUSPECT once.
#include <gtest/gtest.h>

#include <algorithm>
#include <qkvet/bound/admissible.hpp>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/check/statistics.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/problem/draw.hpp>

namespace {

using namespace qkvet;

void fill(Choices& choices, Tensor& tensor, double size) {
  for (std::uint64_t& bits : tensor.bits) bits = encode(tensor.format, size * choices.gaussian());
}

Problem gaussian(Choices& choices, const Shape& shape, double query) {
  Problem problem;
  problem.shape = shape;
  problem.q = make_tensor(problem.format, {shape.B, shape.H_q, shape.L, shape.d_k});
  problem.k = make_tensor(problem.format, {shape.B, shape.H_kv, shape.S, shape.d_k});
  problem.v = make_tensor(problem.format, {shape.B, shape.H_kv, shape.S, shape.d_v});
  fill(choices, problem.q, query);
  fill(choices, problem.k, 1);
  fill(choices, problem.v, 1);
  return problem;
}

/// The largest value that builtin:naive reaches, against f32-ieee.
template <class Make>
double largest(Statistic statistic, std::uint64_t seeds, const Make& make) {
  const auto kernel = in_process(*builtin_kernel("naive"));
  const Contract contract = builtin_contract("f32-ieee").value();
  double most = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    Choices choices = Choices::from_seed(seed);
    const Problem problem = make(choices);
    const Observation seen = kernel->run(problem);
    EXPECT_EQ(seen.status, RunStatus::ok);
    most =
        std::max(most, statistics_of(problem, seen.outputs, admit(problem, contract, Rung::first),
                                     spreads(problem, contract))[statistic]);
  }
  return most;
}

double critical(Statistic statistic) {
  return calibration_of(Format::binary32)->critical[static_cast<std::size_t>(statistic)];
}

TEST(SharedErrors, AKeyIsOffByTheSameInAllColumns) {
  const double most = largest(Statistic::along, 200, [](Choices& choices) {
    Problem problem = gaussian(choices, {1, 1, 1, 1, 4, 96, 96}, 1);
    problem.sinks = make_tensor(Format::binary32, {1, 1, 1, 1});
    problem.sinks->bits[0] = encode(Format::binary32, 6.0);
    return problem;
  });
  EXPECT_LE(most, critical(Statistic::along));
}

TEST(SharedErrors, WeightsThatAreNearlyEqualAreRoundedAlike) {
  const double most = largest(Statistic::z, 20, [](Choices& choices) {
    return gaussian(choices, {1, 2, 1, 2, 1304, 1, 1}, 0x1p-15);
  });
  EXPECT_LE(most, critical(Statistic::z));
}

}  // namespace
