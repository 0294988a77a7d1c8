// The roundings of a sum act on its partial sums, and those are never larger than the terms of one
// sign (docs/bounds.md 3.1 and 4.8): kernels that hold the largest partial sum through all adds, and
// random trees of sums in which every rounding points the same way.
#include <gtest/gtest.h>

#include <algorithm>
#include <qkvet/problem/draw.hpp>

#include "cases.hpp"

namespace qkvet {
namespace {

using test::contract;
using test::one_row;
using test::output;
using test::scalars;

constexpr double u = 0x1p-24;
constexpr int n = 2000;

/// One weight per key, one pass over the exact maximum: nothing but sums, P V and the division.
const char* const plain =
    "rescales = 0\nexp_error = 1\nargument_rounds = 1\nconstant_error = 0\nscore_rounds = 0\n"
    "divide_error = 1\nmerge = none\nnorm_first = no\nrenormalises = no\nlate_sink = no\n"
    "shift = exact\nlazy_rescale = 0\nscale_side = after\n";

/// 1, then numbers that each round up when they are added, then -1.
std::vector<double> rising_sums(int size) {
  std::vector<double> terms(static_cast<std::size_t>(size), 0x1p-24 + 0x1p-34);
  terms.front() = 1;
  terms.back() = -1;
  return terms;
}

float summed(const std::vector<double>& terms) {
  float sum = 0;
  for (const double term : terms) sum += static_cast<float>(term);
  return sum;
}

TEST(PartialSums, AKernelThatHoldsTheLargestThroughAllAdds) {
  const std::vector<double> v = rising_sums(n);
  const Place place = output(scalars(0, std::vector<double>(n, 0), v), contract("f32-ieee", plain));
  const double got = static_cast<double>(summed(v) / static_cast<float>(n));
  EXPECT_TRUE(place.contains(got));
  EXPECT_GT(place.ratio(got), 0.9) << "the adds are nearly all of the bound";
  // Half of the sum of sizes bounds a partial sum, not all of it.
  EXPECT_LT(place.radius, 1.1 * u);
}

TEST(PartialSums, ADotProductThatHoldsTheLargest) {
  constexpr int d_k = 1000;
  const std::vector<double> k = rising_sums(d_k);
  const Problem p = one_row(std::vector<double>(d_k, 1.0), {std::vector<double>(d_k, 0.0), k},
                            {{-1}, {1}});
  const double got = std::tanh(static_cast<double>(summed(k)) / 2);
  const Place place = output(p, contract("f32-ieee", plain));
  EXPECT_TRUE(place.contains(got));
  EXPECT_GT(place.ratio(got), 0.9);
  EXPECT_LT(place.radius, 1.1 * d_k / 2 * u);
}

/// A sum in a random tree, or one by one with the positive terms first; each add is off by u, upward.
double worst_sum(Choices& choices, std::vector<double> pool, bool by_sign) {
  std::sort(pool.begin(), pool.end());
  while (pool.size() > 1) {
    if (!by_sign) std::swap(pool.back(), pool[choices.below(pool.size())]);
    const double x = pool.back();
    pool.pop_back();
    double& other = by_sign ? pool.back() : pool[choices.below(pool.size())];
    other += x;
    other += u * std::fabs(other);
  }
  return pool.front();
}

TEST(PartialSums, TreesInWhichEveryRoundingPointsUpward) {
  Choices choices = Choices::from_seed(3);
  double largest = 0;
  for (int t = 0; t < 400; ++t) {
    const auto keys = static_cast<std::size_t>(choices.between(2, 120));
    const bool positive = choices.chance(1, 4);
    std::vector<double> k(keys), v(keys), w(keys), terms(keys);
    double sum = 0;
    for (std::size_t j = 0; j < keys; ++j) {
      k[j] = decode(Format::binary32, encode(Format::binary32, choices.gaussian()));
      v[j] = decode(Format::binary32, encode(Format::binary32, choices.gaussian()));
      if (positive) v[j] = std::fabs(v[j]);
    }
    const double top = *std::max_element(k.begin(), k.end());
    for (std::size_t j = 0; j < keys; ++j) {
      w[j] = std::exp(k[j] - top);
      sum += w[j];
      terms[j] = w[j] * v[j] * (1 + (v[j] > 0 ? u : -u));  // the product, rounded upward too
    }
    const Place place = output(scalars(1, k, v), contract("f32-ieee", plain));
    const double got = worst_sum(choices, terms, choices.chance(1, 2)) / sum;
    EXPECT_TRUE(place.contains(got)) << "ratio " << place.ratio(got) << " of " << keys << " keys";
    largest = std::max(largest, place.ratio(got));
  }
  EXPECT_GT(largest, 0.3);
}

/// The largest exponent error of a dot product of these, from the weight of one of two keys.
TEST(PartialSums, DotProductsInWhichEveryRoundingPointsUpward) {
  Choices choices = Choices::from_seed(4);
  double largest = 0;
  for (int t = 0; t < 400; ++t) {
    const auto d_k = static_cast<std::size_t>(choices.between(2, 120));
    std::vector<double> k(d_k);
    for (double& x : k) {
      x = decode(Format::binary32, encode(Format::binary32, choices.gaussian()));
    }
    const Problem p =
        one_row(std::vector<double>(d_k, 1.0), {std::vector<double>(d_k, 0.0), k}, {{-1}, {1}});
    const double score = worst_sum(choices, k, choices.chance(1, 2));
    const Place place = output(p, contract("f32-ieee", plain));
    const double got = std::tanh(score / 2);
    EXPECT_TRUE(place.contains(got)) << "ratio " << place.ratio(got) << " of " << d_k;
    largest = std::max(largest, place.ratio(got));
  }
  EXPECT_GT(largest, 0.3);
}

}  // namespace
}  // namespace qkvet
