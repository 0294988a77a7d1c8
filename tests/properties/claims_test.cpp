// What a property states must follow from its plan's conditions, whatever is drawn: with the exact
// answers, rounded once, in place of a candidate's, no judge fails and no oracle disagrees.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <qkvet/campaign/coverage.hpp>
#include <qkvet/check/decide.hpp>
#include <qkvet/check/examine.hpp>
#include <qkvet/problem/text.hpp>
#include <string>

#include "perfect.hpp"
#include "properties/registry.hpp"
#include "properties/rewrites.hpp"
#include "try_on.hpp"

namespace qkvet::test {
namespace {

/// Everything is allowed, and small: many features meet in one problem.
Domain all_features(Format format) {
  Domain domain;
  domain.formats = {format};
  domain.B = {0, 3};
  domain.H_q = {0, 6};
  domain.H_kv = {0, 3};
  domain.L = {0, 9};
  domain.S = {0, 20};
  domain.d_k = {0, 6};
  domain.d_v = {0, 6};
  return domain;
}

/// Problems of each property and format: QKVET_CLAIMS=2000 is the long run.
int problems() {
  const char* wanted = std::getenv("QKVET_CLAIMS");
  return wanted != nullptr ? std::atoi(wanted) : 12;
}

/// Every second time nothing is declared that could be left open. An enclosure ends at doubles, so
/// that its middle is not always the exact value's f64: there no bits are promised.
Contract contract_for(Format format, int n) {
  const bool low = format == Format::bfloat16 || format == Format::binary16;
  const bool open = n % 2 != 0;
  const std::string base = low && !open ? "-fused" : "-any";
  Contract contract = *builtin_contract(std::string(info(format).name) + base);
  if (open) return contract;
  contract.semantics = plain_contract().semantics;
  contract.arithmetic.flushes = false;
  Arithmetic& a = contract.arithmetic;
  if (low) a.dot = a.score = a.score_store = a.scaled = Format::binary32;
  contract.promises.selection = true;
  if (format != Format::binary64) promise_all(contract);
  contract.promises.minus_inf = false;  // of places that are exempt, where any answer is perfect
  return contract;
}

struct Asked {
  const Property* property;
  Format format;
};

void PrintTo(const Asked& asked, std::ostream* out) { *out << asked.property->name; }

class Claims : public testing::TestWithParam<Asked> {};

TEST_P(Claims, HoldOfTheExactAnswers) {
  const auto& [property, format] = GetParam();
  const int wanted = problems();
  Steering steering(mix(41));
  int asked = 0;
  for (int n = 0; n < 40 * wanted && asked < wanted; ++n) {
    const std::uint64_t seed = mix(static_cast<std::uint64_t>(n) * 4 + 1 +
                                   (static_cast<std::uint64_t>(format) << 40U));
    Choices choices = Choices::from_seed(seed);
    const FeatureValues wishes = n % 4 == 0 ? FeatureValues{} : steering.next();
    Problem problem = draw(choices, all_features(format), wishes).problem;
    if (property->prepare != nullptr && n % 3 != 0) {
      Problem prepared = problem;
      property->prepare(prepared, seed);
      if (!outside(all_features(format), prepared)) problem = prepared;
    }
    const Contract contract = contract_for(format, n);
    if (property->applies(problem, contract)) continue;
    ++asked;
    try {
      const Verdict verdict = judge_perfect(problem, *property, contract);
      const Finding* finding = finding_of(verdict);
      ASSERT_EQ(finding, nullptr) << "run '" << finding->run << "': " << finding->message << "\n"
                                  << write_case(problem);
    } catch (const OracleDisagreement& error) {
      FAIL() << error.what() << "\n" << write_case(problem);
    }
  }
  EXPECT_GT(asked, 0);
}

std::vector<Asked> all_asked() {
  std::vector<Asked> all;
  for (const Property& property : all_properties()) {
    for (const Format format : all_formats()) all.push_back({&property, format});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Claims, testing::ValuesIn(all_asked()), [](const auto& one) {
  std::string name(one.param.property->name);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name + "_" + std::string(qkvet::info(one.param.format).name);
});

/// Two keys, one row that sees the first only, the second with a NaN; a bias of -10000 on both and a
/// sink.
Problem beside_a_nan(Format format) {
  Problem p;
  p.format = format;
  p.shape = {1, 1, 1, 2, 2, 2, 1};
  p.q = make_tensor(format, {1, 1, 2, 2});
  p.k = make_tensor(format, {1, 1, 2, 2});
  p.v = make_tensor(format, {1, 1, 2, 1});
  p.v.set(0, 0, 0, 0, 1);
  p.k.set(0, 0, 1, 0, std::numeric_limits<double>::quiet_NaN());
  p.mask.causal = true;
  p.mask.bias = make_tensor(Format::binary32, {1, 1, 1, 2});
  for (std::int64_t j = 0; j < 2; ++j) p.mask.bias->set(0, 0, 0, j, -10000);
  p.sinks = make_tensor(format, {1, 1, 1, 1});
  p.sinks->set(0, 0, 0, 0, 2);
  return p;
}

TEST(RoughScoreSize, IsInfiniteWhereANumberIsNotFinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}) {
    Problem p = beside_a_nan(Format::binary32);
    p.k.set(0, 0, 1, 0, x);
    EXPECT_EQ(rough_score_size(p), infinity) << x;  // q = 0: 0 * inf is NaN
    p.softcap = 3;
    EXPECT_EQ(rough_score_size(p), infinity) << x;
  }
  Problem p = beside_a_nan(Format::binary32);
  p.k.set(0, 0, 1, 0, 5);
  EXPECT_EQ(rough_score_size(p), 10000);
  p.mask.bias->set(0, 0, 0, 1, -infinity);  // a mask, no size
  p.mask.bias->set(0, 0, 0, 0, 1);
  EXPECT_EQ(rough_score_size(p), 2);
  p.sinks->set(0, 0, 0, 0, -infinity);
  EXPECT_EQ(rough_score_size(p), 1);
}

TEST(DominantKey, OutweighsABiasOrDoesNotApplyBesideANaN) {
  const Property& property = *property_named("dominant-key");
  for (const Format format : all_formats()) {
    const Contract contract = contract_for(format, 0);
    Problem p = beside_a_nan(format);
    EXPECT_TRUE(property.applies(p, contract));  // 10000 is more than the plan can outweigh
    for (std::int64_t j = 0; j < 2; ++j) p.mask.bias->set(0, 0, 0, j, -4000);
    ASSERT_FALSE(property.applies(p, contract));
    EXPECT_NO_THROW({ EXPECT_EQ(word(judge_perfect(p, property, contract)), "pass"); });
  }
}

TEST(DominantKey, LeavesNothingOfTheLargestNumberBesideTheSmallest) {
  const Property& property = *property_named("dominant-key");
  Problem p = beside_a_nan(Format::binary64);
  p.mask = {};
  p.sinks.reset();
  p.k.set(0, 0, 1, 0, 0);
  p.v.set(0, 0, 0, 0, info(p.format).max / 4);
  p.v.set(0, 0, 1, 0, info(p.format).eta);
  const Contract contract = contract_for(p.format, 0);
  ASSERT_FALSE(property.applies(p, contract));
  EXPECT_NO_THROW({ EXPECT_EQ(finding_of(judge_perfect(p, property, contract)), nullptr); });
}

}  // namespace
}  // namespace qkvet::test
