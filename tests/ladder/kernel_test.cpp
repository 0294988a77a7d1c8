// The loops of the first rung: the proven exp swept against Arb, and the same bits on every path.
#include <arb.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <qkvet/ladder/certify.hpp>
#include <qkvet/loops/exp_constants.hpp>
#include <qkvet/loops/kernels.hpp>
#include <random>
#include <vector>

namespace qkvet {
namespace {

using namespace ladder;

std::vector<double> exp_of(const Kernels& kernels, std::vector<double> x) {
  while (x.size() % lanes != 0) x.push_back(0);
  std::vector<double> y(x.size());
  kernels.exp(x.data(), y.data(), static_cast<std::int64_t>(x.size()));
  return y;
}

// |y / exp(x) - 1| <= limit and |exp(x) / y - 1| <= limit, certainly.
bool within(double x, double y, double limit) {
  arb_t e, ratio;
  arb_init(e);
  arb_init(ratio);
  bool result = true;
  for (int turn = 0; turn < 2; ++turn) {
    arb_set_d(e, x);
    arb_exp(e, e, 120);
    arb_set_d(ratio, y);
    if (turn == 0) {
      arb_div(ratio, ratio, e, 120);
    } else {
      arb_div(ratio, e, ratio, 120);
    }
    arb_sub_ui(ratio, ratio, 1, 120);
    arb_abs(ratio, ratio);
    arb_set_d(e, limit);
    result = result && arb_le(ratio, e) != 0;
  }
  arb_clear(e);
  arb_clear(ratio);
  return result;
}

std::vector<double> arguments() {
  std::mt19937_64 words(1);
  std::vector<double> x = {0, -0.0, flush_below, -std::numeric_limits<double>::denorm_min(),
                           -0x1p-60, -0x1.62e42fefa39efp-2, -0x1.62e42fefa39f0p-2};
  const auto uniform = [&] { return static_cast<double>(words() >> 11) * 0x1p-53; };
  for (int n = 0; n < 30'000; ++n) x.push_back(-700 * uniform());
  for (int n = 0; n < 30'000; ++n) x.push_back(-8 * uniform());
  for (int n = 0; n < 5'000; ++n) x.push_back(-std::ldexp(uniform(), -n % 80));
  // Where the reduced argument is largest: beside odd multiples of ln 2 / 2.
  for (int k = 0; k < 1009; ++k) {
    const double middle = -(k + 0.5) * 0x1.62e42fefa39efp-1;
    for (const double t : {middle, std::nextafter(middle, 0), std::nextafter(middle, -1e9)}) {
      x.push_back(t);
    }
  }
  return x;
}

TEST(LadderExp, StaysWithinItsProvenErrorOnASweep) {
  const std::vector<double> x = arguments();
  const std::vector<double> y = exp_of(*available_kernels().back(), x);
  int bad = 0, beyond_half = 0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    bad += within(x[n], y[n], exp_error) ? 0 : 1;
    beyond_half += within(x[n], y[n], exp_error / 2) ? 0 : 1;
  }
  EXPECT_EQ(bad, 0);
  EXPECT_GT(beyond_half, 0) << "the bound would be loose by a factor of two";
}

TEST(LadderExp, IsExactAtZeroAndZeroBelowItsRange) {
  for (const Kernels* kernels : available_kernels()) {
    const std::vector<double> y = exp_of(*kernels, {0, -0.0, std::nextafter(flush_below, -1e9),
                                                    -1e300, hidden_score, std::nan("")});
    EXPECT_TRUE(y[0] >= 1 && y[0] <= 1);
    EXPECT_TRUE(y[1] >= 1 && y[1] <= 1);
    for (std::size_t n = 2; n < 6; ++n) EXPECT_TRUE(y[n] >= 0 && y[n] <= 0) << n;
  }
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

// Everything that the loops compute from one set of numbers, in one list.
std::vector<double> run(const Kernels& kernels, std::int64_t d_k, std::int64_t S_pad,
                        std::int64_t d_pad, std::int64_t rows, std::uint64_t seed) {
  std::mt19937_64 words(seed);
  std::normal_distribution<double> normal;
  const auto some = [&](std::int64_t n) {
    std::vector<double> x(static_cast<std::size_t>(n));
    for (double& each : x) each = normal(words);
    return x;
  };
  const std::int64_t stride = S_pad + 8;
  const std::vector<double> q = some(d_k * group + group), keys = some(S_pad * d_k);
  std::vector<double> norms = some(S_pad), values = some(S_pad * d_pad), most = some(d_pad);
  for (double& x : norms) x = std::fabs(x);
  for (double& x : most) x = std::fabs(x);
  std::vector<double> s(static_cast<std::size_t>(stride * group)), z = s, all;
  std::vector<double> out(static_cast<std::size_t>(d_pad * group));
  kernels.dots(q.data(), keys.data(), d_k, S_pad, rows, stride, s.data());
  all.insert(all.end(), s.begin(), s.end());
  for (std::int64_t r = 0; r < rows; ++r) {
    double* const row = s.data() + r * stride;
    kernels.scale(row, z.data() + r * stride, norms.data(), 0.3, 1e-15, 1e-16, S_pad);
    row[0] = r % 2 == 0 ? hidden_score : row[0];
    const double M = kernels.largest(row, S_pad);
    const WeightSums sums = kernels.weights(row, z.data() + r * stride, M, S_pad);
    all.insert(all.end(), {M, sums.sum, sums.spread, sums.z_max, sums.reach});
  }
  kernels.values(s.data(), values.data(), S_pad, d_pad, rows, stride, out.data());
  all.insert(all.end(), s.begin(), s.end());
  all.insert(all.end(), z.begin(), z.end());
  all.insert(all.end(), out.begin(), out.end());
  std::vector<double> rounded(static_cast<std::size_t>(d_pad)), outputs = rounded;
  const RoundingTest test{3, 1e-9, 1e-10, 1e-30, std::ldexp(1.5, 29), 0x1p-24, 0x1p-126, 1e38};
  kernels.round(out.data(), most.data(), test, d_pad, outputs.data(), rounded.data());
  for (double& x : rounded) x = std::isnan(x) ? -1 : x;
  all.insert(all.end(), outputs.begin(), outputs.end());
  all.insert(all.end(), rounded.begin(), rounded.end());
  std::vector<double> high(static_cast<std::size_t>(S_pad)), low = high;
  kernels.compensated_dots(q.data(), keys.data(), d_k, S_pad, high.data(), low.data());
  all.insert(all.end(), high.begin(), high.end());
  all.insert(all.end(), low.begin(), low.end());
  const std::vector<double> query = some(d_k), w = some(S_pad), t = some(S_pad);
  kernels.row_dots(query.data(), keys.data(), d_k, S_pad, high.data(), low.data());
  kernels.row_values(w.data(), t.data(), values.data(), S_pad, d_pad, outputs.data(), rounded.data());
  for (const auto* each : {&high, &low, &outputs, &rounded}) {
    all.insert(all.end(), each->begin(), each->end());
  }
  return all;
}

TEST(LadderKernels, GiveTheSameBitsOnEveryPath) {
  const auto paths = available_kernels();
  std::uint64_t seed = 1;
  for (const std::int64_t d_k : {0, 1, 16, 17, 40}) {
    for (const std::int64_t S_pad : {16, 64, 80, 208}) {
      for (const std::int64_t rows : {1, 3, 8, 21, 32}) {
        const auto plain = run(*paths.front(), d_k, S_pad, 32, rows, ++seed);
        for (const Kernels* path : paths.subspan(1)) {
          EXPECT_TRUE(same(plain, run(*path, d_k, S_pad, 32, rows, seed)))
              << path->name << " " << d_k << " " << S_pad << " " << rows;
        }
      }
    }
  }
  const std::vector<double> x = arguments(), y = exp_of(*paths.front(), x);
  for (const Kernels* path : paths.subspan(1)) EXPECT_TRUE(same(y, exp_of(*path, x)));
}

TEST(LadderKernels, TheNumbersOfARowDoNotDependOnItsNeighbours) {
  const Kernels& kernels = *available_kernels().back();
  const auto many = run(kernels, 40, 80, 32, 32, 7), one = run(kernels, 40, 80, 32, 1, 7);
  EXPECT_TRUE(std::memcmp(many.data(), one.data(), 80 * sizeof(double)) == 0);
}

// One row alone meets the chains of roundings for which the error of many is proved.
TEST(LadderKernels, ARowAloneHasTheBitsOfARowAmongMany) {
  constexpr std::int64_t d_k = 40, S_pad = 80, d_pad = 32;
  std::mt19937_64 words(11);
  std::normal_distribution<double> normal;
  const auto some = [&](std::int64_t n) {
    std::vector<double> x(static_cast<std::size_t>(n));
    for (double& each : x) each = normal(words);
    return x;
  };
  const auto absolute = [](std::vector<double> x) {
    for (double& each : x) each = std::fabs(each);
    return x;
  };
  const std::vector<double> q = some(d_k), keys = some(S_pad * d_k), values = some(S_pad * d_pad);
  const std::vector<double> w = some(S_pad), t = some(S_pad);
  const auto spread_out = [&](const std::vector<double>& x) {  // one query in `group`
    std::vector<double> y(static_cast<std::size_t>(d_k * group));
    for (std::size_t c = 0; c < x.size(); ++c) y[c * group] = x[c];
    return y;
  };
  for (const Kernels* kernels : available_kernels()) {
    std::vector<double> a(S_pad), b(S_pad), c(S_pad), o(d_pad), r(d_pad), s(d_pad);
    kernels->row_dots(q.data(), keys.data(), d_k, S_pad, a.data(), b.data());
    kernels->dots(spread_out(q).data(), keys.data(), d_k, S_pad, 1, S_pad, c.data());
    EXPECT_TRUE(same(a, c)) << kernels->name;
    kernels->dots(spread_out(absolute(q)).data(), absolute(keys).data(), d_k, S_pad, 1, S_pad,
                  c.data());
    EXPECT_TRUE(same(b, c)) << kernels->name;
    kernels->row_values(w.data(), t.data(), values.data(), S_pad, d_pad, o.data(), r.data());
    kernels->values(w.data(), values.data(), S_pad, d_pad, 1, S_pad, s.data());
    EXPECT_TRUE(same(o, s)) << kernels->name;
    kernels->values(t.data(), absolute(values).data(), S_pad, d_pad, 1, S_pad, s.data());
    EXPECT_TRUE(same(r, s)) << kernels->name;
  }
}

TEST(LadderCertify, EncodesWhatEncodeDoes) {
  std::mt19937_64 words(3);
  for (const Format format : {Format::binary32, Format::binary16, Format::bfloat16}) {
    for (int n = 0; n < 20'000; ++n) {
      const std::uint64_t bits = words() & ((std::uint64_t{1} << (8 * info(format).bytes)) - 1);
      const double x = decode(format, bits);
      if (!(std::fabs(x) >= info(format).mu && std::fabs(x) <= info(format).max)) continue;
      ASSERT_EQ(encode_normal(format, x), bits);
    }
  }
}

TEST(LadderCertify, RoundsOnlyWhereBothEndsAgree) {
  EXPECT_EQ(round_certainly(Format::bfloat16, 1, 0x1p-10), encode(Format::bfloat16, 1));
  EXPECT_FALSE(round_certainly(Format::bfloat16, 1, 0x1p-9).has_value());   // to the tie below 1
  EXPECT_FALSE(round_certainly(Format::bfloat16, 1 + 0x1p-8, 0).has_value());  // nudged off the tie
  EXPECT_FALSE(round_certainly(Format::binary32, 0, 0).has_value());  // +0 or -0: not told
  EXPECT_FALSE(round_certainly(Format::binary32, std::nan(""), 0).has_value());
  EXPECT_FALSE(round_certainly(Format::binary32, 1, std::nan("")).has_value());
  // Near the tie between two bfloat16 numbers; by way of float it would round to even.
  EXPECT_EQ(round_certainly(Format::bfloat16, 1 + 0x1p-8 + 0x1p-40, 0x1p-50),
            encode(Format::bfloat16, 1 + 0x1p-7));
}

}  // namespace
}  // namespace qkvet
