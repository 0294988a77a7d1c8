// Matrix units: operands in TF32, adders that align and cut off, weights in 8 bits. For each term
// an honest kernel that comes near to it, simulated step by step. The contract that has the term
// admits the result, one without it does not.
#include <gtest/gtest.h>

#include <algorithm>
#include <qkvet/problem/draw.hpp>

#include "../support/matrix_units.hpp"
#include "cases.hpp"

namespace qkvet {
namespace {

using test::block_sum;
using test::contract;
using test::e4m3;
using test::e5m2;
using test::one_row;
using test::output;
using test::scalars;
using test::tf32;

constexpr float largest = std::numeric_limits<float>::max();

double wide(float x) { return static_cast<double>(x); }

/// f32 but for what a test adds.
const char* const plain =
    "scale_side = after\nmerge = none\nshift = exact\nlazy_rescale = 0\nlate_sink = no\n"
    "renormalises = no\nrescales = 0\nflushes = no\nexp_flushes = no\n";
std::string with(const std::string& lines) { return plain + lines; }

// Operands.  docs/bounds.md 1.5

TEST(Tf32, RoundedQueriesAndKeysMoveTheScores) {
  // Half a unit short of the next number in both factors: 256 (1 + 2^-11)^2 becomes 256.
  const double just = 1 + 0x1p-11 - 0x1p-22;
  const Problem p = one_row({16 * just, 16}, {{16 * just, 0}, {0, 16}}, {{1}, {-1}});
  const float a = tf32(static_cast<float>(16 * just), true);
  const float s = a * a;
  EXPECT_EQ(s, 256);
  const float w = std::exp(s - 256);  // both scores are equal then
  const double got = wide((w - 1) / (w + 1));
  EXPECT_TRUE(output(p, contract("f32-any", with("operands = tf32\n"))).contains(got));
  EXPECT_GT(output(p, contract("f32-any", with("operands = tf32\n"))).ratio(got), 0.4);
  EXPECT_TRUE(output(p, contract("tf32")).contains(got));
  EXPECT_FALSE(output(p, contract("f32-any")).contains(got));
}

TEST(Tf32, RoundedValuesMoveTheOutput) {
  const double value = 1 + 0x1p-11 - 0x1p-22;
  const Problem p = scalars(0, {0, 0, 0, 0}, std::vector<double>(4, value));
  const double got = wide(tf32(static_cast<float>(value), true));  // weights 1 / 4 are exact
  EXPECT_EQ(got, 1);
  const Place place = output(p, contract("f32-any", with("operands = tf32\n")));
  EXPECT_TRUE(place.contains(got));
  EXPECT_GT(place.ratio(got), 0.45) << "the rounding of the weights is the other half";
  EXPECT_FALSE(output(p, contract("f32-any")).contains(got));
}

TEST(Tf32, CuttingOffIsNotRounding) {
  const double value = 1 + 0x1p-10 - 0x1p-22;
  const Problem p = scalars(0, {0, 0, 0, 0}, std::vector<double>(4, value));
  EXPECT_EQ(tf32(static_cast<float>(value), false), 1);
  // Weights are exact here and need not be rounded: nothing but V's own unit is lost.
  const Place rounded = output(p, contract("f32-any", with("operands = tf32\n")));
  const Place cut = output(p, contract("f32-any", with("operands = tf32_truncated\n")));
  EXPECT_TRUE(cut.contains(1));
  EXPECT_GT(cut.ratio(1), 0.45);
  EXPECT_GT(rounded.ratio(1), 0.95);
}

TEST(Tf32, RoundedWeightsMoveAConstantUnlessTheSumSharesThem) {
  // A weight half a unit below a number of TF32, against a top key with V = 0.
  const float middle = static_cast<float>(0.125 * (1 + 0x1p-11));
  float s = std::log(middle);
  while (tf32(std::exp(s), true) > std::exp(s)) s = std::nextafter(s, -10.0F);
  std::vector<double> k(101, wide(s)), v(101, 1);
  k[0] = 0;
  v[0] = 0;
  const Problem p = scalars(1, k, v);
  const float weight = std::exp(s), held = tf32(weight, true);
  float sum = 1, weighted = 0;
  for (int j = 0; j < 100; ++j) {
    sum += weight;
    weighted += held;
  }
  const double got = wide(weighted / sum);
  const Place place = output(p, contract("f32-any", with("operands = tf32\n")));
  EXPECT_TRUE(place.contains(got));
  EXPECT_GT(place.ratio(got), 0.3);
  EXPECT_FALSE(output(p, contract("f32-any")).contains(got));
}

TEST(Tf32, SubnormalOperandsLoseHalfOfTheirUnit) {
  const float value = 0x1.fp-138F;
  EXPECT_EQ(tf32(value, true), 0);
  const Problem p = scalars(0, {0}, {wide(value)});
  EXPECT_TRUE(output(p, contract("f32-any", with("operands = tf32\n"))).contains(0));
  EXPECT_FALSE(output(p, contract("f32-any", plain)).contains(0));
}

TEST(Tf32, TheLargestF32RoundsToInfinity) {
  const double most = wide(largest);
  const Contract held = contract("f32-any", with("operands = tf32\nmask_by = minus_inf\n"));
  EXPECT_EQ(output(scalars(most, {0x1p-100, 0}, {1, 2}), held).kind, PlaceKind::uncheckable);
  EXPECT_EQ(output(scalars(0x1p-100, {most, 0}, {1, 2}), held).kind, PlaceKind::uncheckable);
  EXPECT_EQ(output(scalars(0, {0}, {most}), held).kind, PlaceKind::uncheckable);
  Problem hidden = scalars(0, {0, 0}, {1, most});  // 0 * infinity
  hidden.mask.attend = BoolMask{{1, 1, 1, 2}, {1, 0}};
  EXPECT_EQ(output(hidden, held).kind, PlaceKind::uncheckable);
  EXPECT_EQ(output(hidden, contract("f32-any", with("mask_by = minus_inf\n"))).kind,
            PlaceKind::checked);
}

// Adders.  docs/bounds.md 1.6

TEST(BlockAdders, LoseAUnitOfTheLargestPerProduct) {
  constexpr std::size_t d_k = 2048;
  const double tail = 0x1.fcp-24;  // just below a unit of 1: cut off beside it
  std::vector<double> q(d_k, tail), up(d_k, 1), down(d_k, -1);
  q[0] = up[0] = down[0] = 1;
  const Problem p = one_row(q, {up, down}, {{1}, {-1}});
  std::vector<double> plus(q), minus(q);
  for (std::size_t c = 1; c < d_k; ++c) minus[c] = -tail;
  for (const std::size_t terms : {4U, 8U, 16U}) {
    const float a = block_sum(plus, terms), b = block_sum(minus, terms);
    EXPECT_EQ(a, 1);
    EXPECT_LE(b, 1);
    const float w = std::exp(b - a);
    const double got = wide((1 - w) / (1 + w));
    const Place place =
        output(p, contract("f32-any", with("adder_terms = " + std::to_string(terms) + "\n")));
    EXPECT_TRUE(place.contains(got)) << terms;
    EXPECT_GT(place.ratio(got), 0.3) << terms;
    EXPECT_TRUE(output(p, contract("tf32")).contains(got)) << terms;
    EXPECT_FALSE(output(p, contract("f32-any", plain)).contains(got)) << terms;
  }
}

TEST(BlockAdders, LoseItInSumsOfWeightsToo) {
  constexpr std::size_t S = 2048;
  std::vector<double> v(S, 0x1.fcp-24);
  v[0] = 1;
  const Problem p = scalars(0, std::vector<double>(S, 0), v);
  const double got = wide(block_sum(v, 4) / static_cast<float>(S));  // all weights are 1
  EXPECT_EQ(got, 1.0 / S);
  const Place place = output(p, contract("f32-any", with("adder_terms = 4\n")));
  EXPECT_TRUE(place.contains(got));
  EXPECT_GT(place.ratio(got), 0.1);
}

// Weights in 8 bits.  docs/bounds.md 4.7

/// A top key with V = 0 and 100 keys of weight `weight`, held as round(c weight) / c; l of the
/// weights as they were, or as they are held.
struct Eight {
  Problem problem;
  double apart = 0, shared = 0;
};
Eight eight(float wanted, float c, float (*round)(float)) {
  const float s = std::log(wanted);
  std::vector<double> k(101, wide(s)), v(101, 1);
  k[0] = v[0] = 0;
  const float weight = std::exp(s), held = round(c * weight) / c;
  float sum = 1, rounded = 1, weighted = 0;
  for (int j = 0; j < 100; ++j) {
    sum += weight;
    rounded += held;
    weighted += held;
  }
  return {scalars(1, k, v, Format::bfloat16), wide(weighted / sum), wide(weighted / rounded)};
}
std::string f32_out(const std::string& lines) { return "out = f32\nmerge = none\n" + lines; }

TEST(EightBits, AWeightIsOffByHalfOfItsUnit) {
  // 17 lies in the middle between 16 and 18: k in bf16 gives what comes near to it.
  for (const auto& [name, round, u] :
       {std::tuple{"e4m3", &e4m3, 0x1p-4}, std::tuple{"e5m2", &e5m2, 0x1p-3}}) {
    double best = 0;
    for (int n = 0; n < 400; ++n) {
      const float s = static_cast<float>(
          decode(Format::bfloat16, encode(Format::bfloat16, -3.0 + 0.01 * n / 2)));
      const Eight e = eight(std::exp(s), 256, round);
      const Contract narrow =
          contract("bf16-fp8", f32_out(std::string("narrow_weight = ") + name + "\n"));
      const Place place = output(e.problem, narrow);
      ASSERT_TRUE(place.contains(e.apart)) << name << " " << s;
      ASSERT_TRUE(place.contains(e.shared)) << name << " " << s;
      best = std::max(best, place.ratio(e.apart));
    }
    EXPECT_GT(best, 0.5) << name << " " << u;
  }
}

TEST(EightBits, AreNoF16) {
  const Eight e = eight(17.1F / 256, 256, e4m3);
  const Place place = output(e.problem, contract("bf16-fused", f32_out("")));
  EXPECT_FALSE(place.contains(e.apart));
}

TEST(EightBits, SmallWeightsAreLostUnlessTheyAreScaled) {
  const float small = 0x1.f0p-12F;  // below half of 2^-9, the smallest that e4m3 holds
  EXPECT_EQ(e4m3(small), 0);
  std::vector<double> k(1001, -8.0), v(1001, 1);  // e^-8 = 3.4e-4 = 0x1.6p-12
  k[0] = v[0] = 0;
  const Problem p = scalars(1, k, v, Format::bfloat16);
  const double lost = 0;  // all of 1000 weights, a quarter of the sum
  const auto scaled = [](const char* c) {
    return contract("bf16-fp8", f32_out(std::string("weight_scale = ") + c + "\n"));
  };
  EXPECT_TRUE(output(p, scaled("1")).contains(lost));
  EXPECT_FALSE(output(p, scaled("256")).contains(lost));
}

TEST(EightBits, AShiftThatMayLiftAWeightAboveTheLargestIsUncheckable) {
  const Problem p = scalars(4096, {4096, 4095}, {1, 2}, Format::bfloat16);  // scores of 2^24
  const char* const fused = "shift = fused\n";
  EXPECT_EQ(output(p, contract("bf16-fp8", fused)).kind, PlaceKind::uncheckable);
  EXPECT_NE(output(p, contract("bf16-fused", fused)).kind, PlaceKind::uncheckable);
  EXPECT_NE(output(p, contract("bf16-fp8", "shift = exact\n")).kind, PlaceKind::uncheckable);
}

TEST(EightBits, AScaledSumMayOverflowWhereThePlainOneDoesNot) {
  const Problem p = scalars(0, {0, 0}, {1e37, 1e37}, Format::bfloat16);
  EXPECT_EQ(output(p, contract("bf16-fp8")).kind, PlaceKind::uncheckable);  // 256 * 2e37
  EXPECT_EQ(output(p, contract("bf16-fp8", "weight_scale = 1\n")).kind, PlaceKind::checked);
}

// Whole kernels on drawn problems.

/// How an honest kernel of a matrix unit does it.
struct Unit {
  bool rounds = true;     ///< operands to TF32, else cut off
  std::size_t terms = 1;  ///< of an adder; 0: ordinary adders and no TF32
  float (*narrow)(float) = nullptr;
  float c = 1;          ///< of weights in 8 bits
  bool shares = false;  ///< l is summed over the weights as they are held

  [[nodiscard]] float operand(float x) const { return terms == 0 ? x : tf32(x, rounds); }
  [[nodiscard]] float held(float w) const { return operand(narrow ? narrow(c * w) : w); }
  [[nodiscard]] float sum(const std::vector<double>& products) const {
    if (terms > 0) return block_sum(products, terms);
    float total = 0;
    for (const double x : products) total += static_cast<float>(x);
    return total;
  }
};

/// Two passes: scores, their maximum, weights, both sums, one division; LSE last.
std::vector<double> run(const Problem& p, const Unit& unit) {
  const Shape& s = p.shape;
  const auto at = [&](const Tensor& t, std::int64_t row, std::int64_t c) {
    return unit.operand(static_cast<float>(t.value(0, 0, row, c)));
  };
  std::vector<float> scores, weights;
  for (std::int64_t j = 0; j < s.S; ++j) {
    std::vector<double> products;
    for (std::int64_t c = 0; c < s.d_k; ++c)
      products.push_back(wide(at(p.q, 0, c)) * wide(at(p.k, j, c)));
    scores.push_back(unit.sum(products) * static_cast<float>(*p.scale));
  }
  const float top = *std::max_element(scores.begin(), scores.end());
  float l = 0;
  for (const float score : scores) {
    const float w = std::exp(score - top);
    weights.push_back(unit.held(w));
    l += unit.shares ? weights.back() : unit.c * w;
  }
  std::vector<double> out;
  for (std::int64_t d = 0; d < s.d_v; ++d) {
    std::vector<double> products;
    for (std::int64_t j = 0; j < s.S; ++j) {
      products.push_back(wide(weights[static_cast<std::size_t>(j)]) * wide(at(p.v, j, d)));
    }
    out.push_back(wide(unit.sum(products) / l));
  }
  out.push_back(wide(top + std::log(l / unit.c)));
  return out;
}

Problem drawn(Choices& c, Format format) {
  const auto S = static_cast<std::size_t>(c.between(1, 90)),
             d_k = static_cast<std::size_t>(c.between(1, 40));
  const double spread = c.chance(1, 2) ? 1 : 6;
  std::vector<double> q(d_k);
  std::vector<std::vector<double>> k(S, q), v(S, std::vector<double>(2));
  for (double& x : q) x = spread * c.gaussian();
  for (auto& row : k) {
    for (double& x : row) x = c.gaussian();
  }
  for (auto& row : v) row = {c.gaussian(), 1 + c.unit()};
  Problem p = one_row(q, k, v, format);
  p.scale = 1 / std::sqrt(static_cast<double>(d_k));
  p.want_lse = true;
  return p;
}

/// The worst error / bound over drawn problems, each admitted.
double worst_of(const Contract& contract, const Unit& unit, Format format, std::uint64_t seed) {
  Choices choices = Choices::from_seed(seed);
  double worst = 0;
  for (int n = 0; n < 60; ++n) {
    const Problem p = drawn(choices, format);
    const std::vector<double> got = run(p, unit);
    const Admissible all = admit(p, contract, Rung::arb);
    std::vector<Place> places = all.o;
    places.push_back(all.lse[0]);
    for (std::size_t place = 0; place < places.size(); ++place) {
      EXPECT_TRUE(places[place].contains(got[place])) << "problem " << n << ", place " << place;
      worst = std::max(worst, places[place].ratio(got[place]));
    }
  }
  return worst;
}

TEST(DrawnUnits, AreAdmittedByTheirContracts) {
  for (const std::size_t terms : {4U, 8U, 16U}) {
    for (const bool rounds : {true, false}) {
      for (const bool shares : {true, false}) {
        const Unit unit{rounds, terms, nullptr, 1, shares};
        const double worst = worst_of(contract("tf32"), unit, Format::binary32, terms);
        EXPECT_GT(worst, 0.01) << terms;
      }
    }
  }
  for (const bool shares : {true, false}) {
    const Contract low = contract("bf16-fp8", "out = f32\n");
    const Contract e5 = contract("f16-fp8", "out = f32\nnarrow_weight = e5m2\n");
    EXPECT_GT(worst_of(low, {true, 0, &e4m3, 256, shares}, Format::bfloat16, 1), 0.05);
    EXPECT_GT(worst_of(e5, {true, 0, &e5m2, 256, shares}, Format::binary16, 2), 0.05);
  }
}

TEST(DrawnUnits, AreNotAdmittedWithoutThem) {
  Choices choices = Choices::from_seed(5);
  int tf32_out = 0, narrow_out = 0;
  for (int n = 0; n < 60; ++n) {
    const Problem p = drawn(choices, Format::binary32);
    const Unit cut{false, 8, nullptr, 1, false};
    tf32_out += output(p, contract("f32-any")).contains(run(p, cut)[0]) ? 0 : 1;
    const Problem low = drawn(choices, Format::bfloat16);
    const Unit narrow{true, 0, &e4m3, 256, false};
    narrow_out +=
        output(low, contract("bf16-fused", "out = f32\n")).contains(run(low, narrow)[0]) ? 0 : 1;
  }
  EXPECT_GT(tf32_out, 20);
  EXPECT_GT(narrow_out, 10);
}

}  // namespace
}  // namespace qkvet
