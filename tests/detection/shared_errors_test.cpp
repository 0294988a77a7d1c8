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

TEST(SharedErrors, AScaleOfANarrowerFormatHasNoModel) {
  // ONNX Runtime in f64 computes the default scale in f32, as its contract says.
  Choices choices = Choices::from_seed(1);
  const Problem problem = gaussian(choices, {1, 2, 1, 9, 64, 6, 6}, 1);
  Contract contract = builtin_contract("f32-ieee").value();
  EXPECT_TRUE(has_model(contract.arithmetic));
  EXPECT_FALSE(spreads(problem, contract).o.empty());
  contract.arithmetic.constant_error = 0x1p29;
  EXPECT_FALSE(has_model(contract.arithmetic));
  Problem scaled = problem;
  scaled.scale = 0.7 * (1 + 0x1p-12);
  const Observation seen = in_process(*builtin_kernel("naive"))->run(scaled);
  const Statistics found = statistics_of(problem, seen.outputs,
                                         admit(problem, contract, Rung::first),
                                         spreads(problem, contract));
  EXPECT_EQ(found.places, 0);
}

TEST(SharedErrors, WeightsThatAreNearlyEqualAreRoundedAlike) {
  const double most = largest(Statistic::z, 20, [](Choices& choices) {
    return gaussian(choices, {1, 2, 1, 2, 1304, 1, 1}, 0x1p-15);
  });
  EXPECT_LE(most, critical(Statistic::z));
}

}  // namespace
