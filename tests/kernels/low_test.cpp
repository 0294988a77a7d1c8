// The built-in kernels in f16 and bf16: their own conversions against the judge's, and what each
// kernel stores low.
#include <gtest/gtest.h>

#include <cmath>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/kernels/low.hpp>
#include <qkvet/num/format.hpp>
#include <qkvet/problem/draw.hpp>
#include <string>

namespace qkvet {
namespace {

using kernels::BF16;
using kernels::F16;

template <class Stored>
void every_encoding(Format format) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const Stored x{static_cast<std::uint16_t>(bits)};
    const float value = kernels::wide(x);
    if (is_nan(format, bits)) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      ASSERT_TRUE(is_nan(format, kernels::narrow<Stored>(value).bits)) << bits;
      continue;
    }
    ASSERT_TRUE(same_bits(std::bit_cast<std::uint64_t>(static_cast<double>(value)),
                          std::bit_cast<std::uint64_t>(decode(format, bits))))
        << bits;
    // The float neighbours of each number and of the middle to the next one.
    const float next = kernels::wide(Stored{static_cast<std::uint16_t>(bits + 1)});
    for (const float middle : {value, value / 2 + next / 2}) {
      for (const float y : {std::nextafter(middle, -1e38F), middle, std::nextafter(middle, 1e38F)}) {
        if (std::isnan(y)) continue;
        ASSERT_EQ(kernels::narrow<Stored>(y).bits, encode(format, static_cast<double>(y))) << bits;
      }
    }
  }
}

TEST(LowConversion, IsThatOfTheJudgeForEveryEncodingAndAroundEveryMiddle) {
  every_encoding<F16>(Format::binary16);
  every_encoding<BF16>(Format::bfloat16);
}

TEST(LowConversion, IsThatOfTheJudgeForAnyFloat) {
  Choices choices = Choices::from_seed(7);
  for (int n = 0; n < 300000; ++n) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(choices.below(1ULL << 32)));
    if (std::isnan(x)) continue;
    const auto y = static_cast<double>(x);
    ASSERT_EQ(kernels::narrow<F16>(x).bits, encode(Format::binary16, y)) << x;
    ASSERT_EQ(kernels::narrow<BF16>(x).bits, encode(Format::bfloat16, y)) << x;
  }
}

/// One query, two keys, values 1 and 0.
Problem two_keys(Format format, std::vector<double> q, std::vector<double> k) {
  Problem p;
  p.format = format;
  const auto d_k = static_cast<std::int64_t>(q.size());
  p.shape = {1, 1, 1, 1, 2, d_k, 1};
  p.q = make_tensor(format, {1, 1, 1, d_k});
  p.k = make_tensor(format, {1, 1, 2, d_k});
  p.v = make_tensor(format, {1, 1, 2, 1});
  for (std::size_t c = 0; c < q.size(); ++c) p.q.bits[c] = encode(format, q[c]);
  for (std::size_t c = 0; c < k.size(); ++c) p.k.bits[c] = encode(format, k[c]);
  p.v.bits[0] = encode(format, 1.0);
  p.scale = 1;
  p.want_lse = true;
  return p;
}

double run(const char* name, const Problem& problem, double* lse = nullptr) {
  const Observation seen = in_process(*builtin_kernel(name))->run(problem);
  EXPECT_EQ(seen.status, RunStatus::ok) << seen.message;
  EXPECT_TRUE(seen.faults.empty());
  if (seen.status != RunStatus::ok) return std::nan("");
  if (lse != nullptr) *lse = decode(seen.outputs.lse_format, seen.outputs.lse[0]);
  return decode(problem.format, seen.outputs.o.bits[0]);
}

class LowKernel : public testing::TestWithParam<Format> {};

TEST_P(LowKernel, GivesTheWorkedExampleRoundedOnce) {
  for (const char* name : {"naive", "flash"}) {
    const Problem p = two_keys(GetParam(), {1}, {std::log(3.0), 0});
    double lse = 0;
    EXPECT_NEAR(run(name, p, &lse), 0.75, 0.75 * 2 * info(GetParam()).u) << name;
    EXPECT_NEAR(lse, std::log(4.0), 4 * info(GetParam()).u) << "an f32";
  }
}

TEST_P(LowKernel, NaiveStoresItsScoresAndFlashDoesNot) {
  // The score q k + 1 lies in the middle between two numbers of the format and goes to q k.
  const double q = GetParam() == Format::bfloat16 ? 16 : 64;
  const double k = GetParam() == Format::bfloat16 ? 16 : 32;
  const Problem p = two_keys(GetParam(), {q, 1}, {k, 1, k, 0});
  EXPECT_EQ(encode(GetParam(), q * k + 1), encode(GetParam(), q * k));
  EXPECT_NEAR(run("naive", p), 0.5, info(GetParam()).u);
  EXPECT_NEAR(run("flash", p), 1 / (1 + std::exp(-1.0)), info(GetParam()).u);
}

TEST_P(LowKernel, DeclaresAContractOfItsOwn) {
  for (const char* name : {"naive", "flash"}) {
    const Contract contract = in_process(*builtin_kernel(name))->contracts().at(GetParam());
    EXPECT_FALSE(contract.assumed) << name;
    EXPECT_EQ(contract.format, GetParam());
    EXPECT_TRUE(contract.assumed_fields.empty()) << "it stands on -math or -fused";
    EXPECT_EQ(contract.arithmetic.score_stores, name == std::string("naive") ? 1 : 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Both, LowKernel, testing::Values(Format::binary16, Format::bfloat16),
                         [](const auto& format) { return std::string(qkvet::info(format.param).name); });

}  // namespace
}  // namespace qkvet
