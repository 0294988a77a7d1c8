// The built-in kernels on cases that a reader can check by hand, called through the bare C ABI.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <qkvet/contract/contract.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <string>
#include <vector>

namespace {

/// One query, `keys` keys, d_k = d_v = 1: the worked example and its variations.
struct OneRow {
  std::vector<float> q, k, v;
  std::vector<std::uint8_t> attend;  // empty = no mask
  float got = -1, lse = -1;

  int run(const char* name) {
    const auto keys = static_cast<std::int64_t>(k.size());
    std::int64_t one[4] = {1, 1, 1, 1}, many[4] = {1, 1, keys, 1}, across[4] = {1, 1, 1, keys};
    std::int64_t row[4] = {1, 1, 1, 1}, column[4] = {keys, keys, 1, 1},
                 line[4] = {keys, keys, keys, 1};
    const qkvet_dtype f32{QKVET_FLOAT, 32, 1}, boolean{QKVET_BOOL, 8, 1};
    qkvet_tensor tq{q.data(), 1, 0, 4, f32, one, row, 0},
        tk{k.data(), 1, 0, 4, f32, many, column, 0};
    qkvet_tensor tv{v.data(), 1, 0, 4, f32, many, column, 0}, to{&got, 1, 0, 4, f32, one, row, 0};
    qkvet_tensor tl{&lse, 1, 0, 3, f32, one, row, 0};
    qkvet_tensor ta{attend.data(), 1, 0, 4, boolean, across, line, 0};
    const std::int64_t offset = 0;
    const qkvet_mask mask{sizeof(qkvet_mask),
                          0,
                          QKVET_DIAGONAL_TOP_LEFT,
                          &offset,
                          -1,
                          -1,
                          nullptr,
                          nullptr,
                          attend.empty() ? nullptr : &ta,
                          nullptr};
    const qkvet_args args{
        sizeof(qkvet_args), 0, &tq, &tk, &tv, &to, &tl, 1, 0, 0, &mask, nullptr, nullptr, 0};
    const qkvet_candidate* kernel = qkvet::builtin_kernel(name);
    qkvet_error why{};
    return kernel->forward(kernel->self, &args, &why);
  }
};

class BuiltinKernel : public testing::TestWithParam<std::string> {};

TEST_P(BuiltinKernel, GivesTheWorkedExample) {
  OneRow row{{1}, {0, std::log(3.0F)}, {10, 20}, {}};
  ASSERT_EQ(row.run(GetParam().c_str()), QKVET_OK);
  EXPECT_NEAR(row.got, 17.5, 1e-5);
  EXPECT_NEAR(row.lse, std::log(4.0), 1e-6);
}

TEST_P(BuiltinKernel, GivesTheMeanWhenTheQueryIsZero) {
  OneRow row{{0}, {0, std::log(3.0F)}, {10, 20}, {}};
  ASSERT_EQ(row.run(GetParam().c_str()), QKVET_OK);
  EXPECT_FLOAT_EQ(row.got, 15);
}

TEST_P(BuiltinKernel, DoesNotReadAHiddenKey) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  OneRow row{{1}, {0, nan}, {10, nan}, {1, 0}};
  ASSERT_EQ(row.run(GetParam().c_str()), QKVET_OK);
  EXPECT_FLOAT_EQ(row.got, 10);
  EXPECT_FLOAT_EQ(row.lse, 0);
}

TEST_P(BuiltinKernel, GivesZeroAndMinusInfinityWithoutAVisibleKey) {
  OneRow row{{1}, {0, 1}, {10, 20}, {0, 0}};
  ASSERT_EQ(row.run(GetParam().c_str()), QKVET_OK);
  EXPECT_FLOAT_EQ(row.got, 0);
  EXPECT_TRUE(std::isinf(row.lse) && row.lse < 0);
}

TEST_P(BuiltinKernel, PropagatesAVisibleNan) {
  OneRow row{{std::numeric_limits<float>::quiet_NaN()}, {0, 1}, {10, 20}, {}};
  ASSERT_EQ(row.run(GetParam().c_str()), QKVET_OK);
  EXPECT_TRUE(std::isnan(row.got));
  EXPECT_TRUE(std::isnan(row.lse));
}

TEST_P(BuiltinKernel, GivesTheMeanOfManyEqualScoresAcrossTiles) {
  OneRow row{{1}, std::vector<float>(65, -3.0F), std::vector<float>(65, 2.0F), {}};
  row.v.back() = 67;
  ASSERT_EQ(row.run(GetParam().c_str()), QKVET_OK);
  EXPECT_FLOAT_EQ(row.got, 3);
}

TEST_P(BuiltinKernel, DeclaresAContractThatReads) {
  const qkvet_candidate* kernel = qkvet::builtin_kernel(GetParam());
  const qkvet::ContractSet set = qkvet::read_contracts(kernel->contract, GetParam());
  const qkvet::Contract contract = set.at(qkvet::Format::binary32);
  EXPECT_FALSE(contract.assumed);
  EXPECT_TRUE(contract.promises.selection);
  EXPECT_EQ(contract.semantics.empty_row, qkvet::Semantics::EmptyRow::zero);
}

INSTANTIATE_TEST_SUITE_P(All, BuiltinKernel, testing::Values("naive", "flash"),
                         [](const auto& kernel) { return kernel.param; });

TEST(BuiltinKernels, AreNull_WhenUnknown) { EXPECT_EQ(qkvet::builtin_kernel("none"), nullptr); }

}  // namespace
