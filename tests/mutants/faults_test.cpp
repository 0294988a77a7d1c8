// Deduplication: many failing cases of one fault give few keys, different faults different ones.
// And what is left of a composite fault says what it needs.
#include <gtest/gtest.h>

#include <map>
#include <properties/registry.hpp>
#include <qkvet/campaign/fault_key.hpp>
#include <qkvet/campaign/minimise.hpp>
#include <qkvet/campaign/neighbours.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/text.hpp>
#include <set>

#include "load.hpp"

namespace {

using namespace qkvet;

/// A mutant under matches-reference.
struct Wrong {
  explicit Wrong(const std::string& name, Format format = Format::binary32)
      : candidate(test::load_mutant(name)),
        terms(terms_for(format, *candidate, std::nullopt, Domain{})) {
    terms.domain.work_budget = 20'000;
  }

  std::optional<Finding> finding(const Problem& problem) {
    if (property.applies(problem, terms.contract)) return std::nullopt;
    const Verdict verdict =
        examine(problem, property, *candidate, terms.contract, {CrossCheck::never});
    const auto* fail = std::get_if<Fail>(&verdict);
    return fail == nullptr ? std::nullopt : std::optional(fail->finding);
  }

  /// The minimal cases of the first `wanted` drawn ones that fail.
  std::vector<Minimised> minimal(int wanted) {
    std::vector<Minimised> all;
    for (std::uint64_t seed = 1; static_cast<int>(all.size()) < wanted && seed < 20'000; ++seed) {
      Choices choices = Choices::from_seed(seed);
      const Problem drawn = draw(choices, terms.domain).problem;
      if (const auto found = finding(drawn)) {
        all.push_back(minimise(drawn, *found, property, *candidate, terms.contract, terms.domain,
                               {CrossCheck::never}, {}, {}));
      }
    }
    return all;
  }

  const Property& property = *property_named("matches-reference");
  std::unique_ptr<Candidate> candidate;
  Terms terms;
};

class CopiesOfOneFault : public testing::TestWithParam<const char*> {};

TEST_P(CopiesOfOneFault, GiveAtMostThreeKeys) {
  std::map<std::string, std::string> keys;
  const std::vector<Minimised> copies = Wrong(GetParam()).minimal(50);
  ASSERT_EQ(copies.size(), 50U);
  for (const Minimised& one : copies) {
    keys.emplace(fault_key(one.problem, one.finding), write_case(one.problem));
  }
  std::string all;
  for (const auto& [key, text] : keys) all += key + "\n  " + text + "\n";
  EXPECT_LE(keys.size(), 3U) << all;
}

INSTANTIATE_TEST_SUITE_P(Some, CopiesOfOneFault,
                         testing::Values("tail_key_dropped", "sink_ignored", "bias_scaled",
                                         "kv_head_modulo", "causal_off_by_one"),
                         [](const auto& mutant) { return std::string(mutant.param); });

/// One mutant from each part of the list, of different classes.
TEST(DifferentFaults, GiveDifferentKeys) {
  std::map<std::string, std::string> keys;
  for (const std::string name :
       {"no_scale", "tail_key_dropped", "kv_head_modulo", "sink_ignored", "causal_off_by_one",
        "v_strides_contiguous", "alibi_without_abs", "softcap_before_scale", "lse_base_two",
        "mask_batch_stride_zero"}) {
    const std::vector<Minimised> one = Wrong(name).minimal(1);
    ASSERT_EQ(one.size(), 1U) << name;
    keys[fault_key(one[0].problem, one[0].finding)] += name + " ";
  }
  std::string all;
  for (const auto& [key, names] : keys) all += key + ": " + names + "\n";
  EXPECT_GE(keys.size(), 9U) << all;
}

/// S mod 64 = 1 and a boolean mask: the minimal case has one key, and the rule tells of the period.
TEST(CompositeFault, IsExplainedByItsRule) {
  Wrong wrong("tail_key_dropped_at_65");
  const std::vector<Minimised> one = wrong.minimal(1);
  ASSERT_EQ(one.size(), 1U);
  const std::string rule = rule_near(one[0].problem, wrong.property, *wrong.candidate,
                                     wrong.terms.contract, wrong.terms.domain, {}, {});
  EXPECT_TRUE(rule.starts_with("fails iff S mod 64 = 1 (")) << rule;
  EXPECT_NE(rule.find("passes without bool mask"), rule.npos) << rule;
}

/// Two faults of one kernel with one signature are two findings of a campaign; a case that lacks
/// what the known one needs is looked at for itself.
TEST(MayHold, AsksForExtentsAndFeatures) {
  const Problem known =
      read_case("qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f32/causal:tl/q:0/k:0*2/v:0,1", "text");
  const auto holds = [&](const char* text) { return may_hold(read_case(text, "text"), known); };
  EXPECT_TRUE(holds("qk1:b1.hq1.hk1.l3.s3.dk1.dv1/f32/causal:br/cap:1/q:0*3/k:0*3/v:0*3"));
  EXPECT_FALSE(holds("qk1:b1.hq1.hk1.l3.s3.dk1.dv1/f32/q:0*3/k:0*3/v:0*3"));
  EXPECT_FALSE(holds("qk1:b1.hq1.hk1.l3.s1.dk1.dv1/f32/causal:tl/q:0*3/k:0/v:0"));
}

}  // namespace
