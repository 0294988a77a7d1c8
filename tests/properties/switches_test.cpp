// Every feature alone and in pairs, with a correct kernel: no property raises an alarm. And the
// reasons for `applies`, rewrites and controls: for each switch that breaks a naive relation, a
// case where it does (the worked example: q = 1, keys 0 and ln 3, values 10 and 20).
#include <gtest/gtest.h>

#include <functional>
#include <qkvet/check/examine.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/text.hpp>
#include <string>

#include "../support/plain_candidate.hpp"
#include "properties/registry.hpp"

namespace qkvet::test {
namespace {

constexpr double minus_infinity = -std::numeric_limits<double>::infinity();

struct Switch {
  const char* name;
  void (*set)(Problem&);
};

void fill(Tensor& tensor, std::uint64_t seed) {
  Choices choices = Choices::from_seed(mix(seed));
  for (std::uint64_t& bits : tensor.bits) {
    bits = encode(tensor.format, static_cast<double>(choices.between(-96, 96)) / 64);
  }
}

Tensor filled(const Problem& p, std::array<std::int64_t, 4> extents, std::uint64_t seed) {
  Tensor tensor = make_tensor(p.format, extents);
  fill(tensor, seed);
  return tensor;
}

Problem base() {
  Problem p;
  p.shape = {2, 2, 2, 3, 5, 2, 3};
  p.q = filled(p, {2, 2, 3, 2}, 1);
  p.k = filled(p, {2, 2, 5, 2}, 2);
  p.v = filled(p, {2, 2, 5, 3}, 3);
  p.want_lse = true;
  return p;
}

BoolMask alternating(const Shape& s) {
  BoolMask mask{{s.B, 1, s.L, s.S}, {}};
  for (std::int64_t n = 0; n < s.B * s.L * s.S; ++n) mask.attend.push_back(n % 3 != 1);
  return mask;
}

const Switch switches[] = {
    {"none", [](Problem&) {}},
    {"causal", [](Problem& p) { p.mask.causal = true; }},
    {"bottom_right",
     [](Problem& p) {
       p.mask.causal = true;
       p.mask.diagonal.kind = Diagonal::Kind::bottom_right;
     }},
    {"fixed_offset",
     [](Problem& p) {
       p.mask.causal = true;
       p.mask.diagonal = {Diagonal::Kind::fixed, {1}};
     }},
    {"window",
     [](Problem& p) {
       p.mask.window = Window{1, 1};
     }},
    {"alibi",
     [](Problem& p) {
       p.alibi_slopes = make_tensor(p.format, {2, 1, 1, 1});
       p.alibi_slopes->set(0, 0, 0, 0, 0.5);
       p.alibi_slopes->set(1, 0, 0, 0, 0.25);
     }},
    {"sink",
     [](Problem& p) {
       p.sinks = make_tensor(p.format, {2, 1, 1, 1});
       p.sinks->set(0, 0, 0, 0, 1.0);
       p.sinks->set(1, 0, 0, 0, minus_infinity);
     }},
    {"softcap", [](Problem& p) { p.softcap = 1; }},
    {"key_range",
     [](Problem& p) {
       p.mask.key_range = KeyRange{{0, 1}, {4, 5}};
     }},
    {"empty_range",
     [](Problem& p) {
       p.mask.key_range = KeyRange{{0, 2}, {5, 2}};
     }},
    {"grouped",
     [](Problem& p) {
       p.shape.H_kv = 1;
       p.k = filled(p, {2, 1, 5, 2}, 4);
       p.v = filled(p, {2, 1, 5, 3}, 5);
     }},
    {"bool_mask", [](Problem& p) { p.mask.attend = alternating(p.shape); }},
    {"bias",
     [](Problem& p) {
       p.mask.bias = filled(p, {1, 2, 3, 5}, 6);
       p.mask.bias->set(0, 0, 1, 2, minus_infinity);
     }},
    {"negative_scale", [](Problem& p) { p.scale = -0.75; }},
};

void expect_no_alarm(const Problem& problem, const Contract& contract, Candidate& candidate,
                     const std::string& what, int& applied) {
  for (const Property& property : all_properties()) {
    if (property.applies(problem, contract)) continue;
    ++applied;
    const Verdict verdict = examine(problem, property, candidate, contract, {CrossCheck::never});
    const Finding* finding = finding_of(verdict);
    EXPECT_EQ(finding, nullptr) << what << ", " << property.name << ", run '"
                                << (finding != nullptr ? finding->run : "")
                                << "': " << (finding != nullptr ? finding->message : "") << "\n"
                                << write_case(problem);
  }
}

TEST(Switches, RaiseNoAlarmInPairs) {
  PlainCandidate correct;
  const Contract contract = plain_contract();
  int applied = 0;
  for (const Switch& a : switches) {
    for (const Switch& b : switches) {
      Problem problem = base();
      a.set(problem);
      b.set(problem);
      expect_no_alarm(problem, contract, correct, std::string(a.name) + " + " + b.name, applied);
    }
  }
  EXPECT_GT(applied, 1500);
}

TEST(Switches, RaiseNoAlarmWhereTheBiasComesBeforeTheCap) {
  constexpr auto order = Semantics::CapOrder::bias_then_cap;
  PlainCandidate correct(Bug::none, order);
  Contract contract = plain_contract();
  contract.semantics.cap_order = order;
  int applied = 0;
  for (const Switch& a : switches) {
    Problem problem = base();
    problem.softcap = 1;
    problem.mask.bias = filled(problem, {1, 2, 3, 5}, 6);
    problem.mask.bias->set(0, 0, 1, 2, minus_infinity);
    a.set(problem);
    expect_no_alarm(problem, contract, correct, a.name, applied);
  }
  EXPECT_GT(applied, 100);
}

/// q = 1 in every row, keys 0 and ln 3, values 10 and 20, in f64.
Problem worked_example(std::int64_t L = 1) {
  Problem p;
  p.format = Format::binary64;
  p.shape = {1, 1, 1, L, 2, 1, 1};
  p.q = make_tensor(p.format, {1, 1, L, 1});
  p.k = make_tensor(p.format, {1, 1, 2, 1});
  p.v = make_tensor(p.format, {1, 1, 2, 1});
  for (std::int64_t i = 0; i < L; ++i) p.q.set(0, 0, i, 0, 1);
  p.k.set(0, 0, 1, 0, std::log(3.0));
  p.v.set(0, 0, 0, 0, 10);
  p.v.set(0, 0, 1, 0, 20);
  return p;
}

double output(const Problem& p, std::int64_t i = 0) {
  PlainCandidate plain;
  return plain.run(p).outputs.o.value(0, 0, i, 0);
}

void swap_keys(Problem& p) {
  std::swap(p.k.bits[0], p.k.bits[1]);
  std::swap(p.v.bits[0], p.v.bits[1]);
}

void shift_by_bias(Problem& p, double c) {
  p.mask.bias = make_tensor(p.format, {1, 1, 1, 1});
  p.mask.bias->set(0, 0, 0, 0, c);
}

TEST(NaiveRelation, PermutingKeysIsFalseUnderCausalWithoutExplicitMasks) {
  Problem p = worked_example(2);
  p.mask.causal = true;
  EXPECT_NEAR(output(p), 10, 1e-12);
  swap_keys(p);
  EXPECT_NEAR(output(p), 20, 1e-12);
}

TEST(NaiveRelation, ARowAloneIsFalseUnderCausalWithoutItsOffset) {
  Problem p = worked_example(2);
  p.mask.causal = true;
  EXPECT_NEAR(output(p, 1), 17.5, 1e-12);
  Problem alone = worked_example(1);
  alone.mask.causal = true;
  EXPECT_NEAR(output(alone), 10, 1e-12);
}

TEST(NaiveRelation, SumsAndMeansAreFalseWithASink) {
  Problem p = worked_example();
  p.sinks = make_tensor(p.format, {1, 1, 1, 1});
  p.v.set(0, 0, 0, 0, 1);
  p.v.set(0, 0, 1, 0, 1);
  EXPECT_NEAR(output(p), 0.8, 1e-12);
}

TEST(NaiveRelation, AShiftIsFalseWithASinkThatStays) {
  Problem p = worked_example();
  p.sinks = make_tensor(p.format, {1, 1, 1, 1});
  EXPECT_NEAR(output(p), 14, 1e-12);
  shift_by_bias(p, std::log(3.0));
  EXPECT_NEAR(output(p), 16.153846153846153, 1e-12);
}

TEST(NaiveRelation, AShiftInsideTheSoftcapIsFalse) {
  Problem p = worked_example();
  p.softcap = 1;
  const double before = output(p);
  p.k.set(0, 0, 0, 0, p.k.value(0, 0, 0, 0) + std::log(3.0));
  p.k.set(0, 0, 1, 0, p.k.value(0, 0, 1, 0) + std::log(3.0));
  EXPECT_NEAR(before, 16.90, 0.01);
  EXPECT_NEAR(output(p), 15.44, 0.01);
}

TEST(NaiveRelation, AMinusInfinityBiasIsNoMaskBeforeTheCap) {
  Problem p = worked_example();
  p.softcap = 1;
  p.mask.bias = make_tensor(p.format, {1, 1, 1, 2});
  p.mask.bias->set(0, 0, 0, 1, minus_infinity);
  PlainCandidate bias_first(Bug::none, Semantics::CapOrder::bias_then_cap);
  EXPECT_NEAR(bias_first.run(p).outputs.o.value(0, 0, 0, 0), 10 + 10 * 0.2689414213699951, 1e-9);
  EXPECT_NEAR(output(p), 10, 1e-12);
}

}  // namespace
}  // namespace qkvet::test
