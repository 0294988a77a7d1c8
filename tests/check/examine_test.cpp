// The waist with scripted candidates: how calls end, which case counts, what power means.
#include <gtest/gtest.h>

#include <algorithm>
#include <qkvet/check/decide.hpp>
#include <qkvet/check/examine.hpp>
#include <qkvet/check/judge_own.hpp>
#include <qkvet/check/power.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/text.hpp>

#include "../support/plain_candidate.hpp"

namespace qkvet::test {
namespace {

constexpr Impostor every[] = {Impostor::zeros, Impostor::mean_v, Impostor::first_v,
                              Impostor::unmasked, Impostor::sign_flip};

std::optional<std::string> always(const Problem&, const Contract&) { return std::nullopt; }
std::optional<std::string> never(const Problem&, const Contract&) { return "not today"; }
Plan plan_one(const Problem& problem, const Contract&) { return {{{problem, ""}}, {}}; }

Verdict judge_all(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger("own");
  for (const Exhibit& exhibit : exhibits) judge_own(ledger, exhibit);
  return ledger.verdict();
}

const Property own_property{"own", "own", always, plan_one, judge_all, every, nullptr, ""};

Problem small(std::uint64_t seed, std::int64_t S = 5) {
  Problem p;
  p.shape = {1, 1, 1, 3, S, 2, 2};
  p.q = make_tensor(p.format, {1, 1, 3, 2});
  p.k = make_tensor(p.format, {1, 1, S, 2});
  p.v = make_tensor(p.format, {1, 1, S, 2});
  Choices choices = Choices::from_seed(mix(seed));
  for (Tensor* tensor : {&p.q, &p.k, &p.v}) {
    for (std::uint64_t& bits : tensor->bits) bits = encode(p.format, choices.gaussian());
  }
  return p;
}

Problem causal(std::uint64_t seed) {
  Problem p = small(seed);
  p.mask.causal = true;
  return p;
}

Verdict examined(const Problem& problem, Candidate& candidate, const Property& property,
                 const Contract& contract = plain_contract()) {
  return examine(problem, property, candidate, contract, {CrossCheck::always});
}

/// Says what it is told to say.
class Scripted final : public Candidate {
 public:
  Observation script;
  ContractSet declared;
  int calls = 0;
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const ContractSet& contracts() const override { return declared; }
  [[nodiscard]] const char* isolation() const override { return "L0"; }
  using Candidate::run;
  [[nodiscard]] Observation run(const Problem&, const OutputFormats&) override {
    ++calls;
    return script;
  }

 private:
  std::string name_ = "scripted";
};

std::string label_after(const Observation& script, const Contract& contract = plain_contract()) {
  Scripted candidate;
  candidate.script = script;
  const Verdict verdict = examined(small(1), candidate, own_property, contract);
  return std::holds_alternative<Fail>(verdict) ? finding_of(verdict)->label : "no finding";
}

TEST(Examine, PassesACorrectKernel) {
  PlainCandidate correct;
  EXPECT_EQ(word(examined(causal(1), correct, own_property)), "pass");
}

TEST(Examine, FailsAWrongKernel) {
  PlainCandidate wrong(Bug::no_scale);
  EXPECT_EQ(word(examined(causal(1), wrong, own_property)), "FAIL");
}

TEST(Examine, LabelsHowACallEnded) {
  EXPECT_EQ(label_after({RunStatus::crashed, "SIGSEGV", {}, {}, {}}), "crash");
  EXPECT_EQ(label_after({RunStatus::timed_out, "10 s", {}, {}, {}}), "timeout");
  EXPECT_EQ(label_after({RunStatus::failed, "raised", {}, {}, {}}), "failed");
}

TEST(Examine, LabelsWhatACallDidToMemory) {
  PlainCandidate correct;
  Observation seen = correct.run(small(1));
  const auto label = [&seen](Fault::Kind kind) {
    seen.faults = {{kind, "k", "4 bytes before"}};
    return label_after(seen);
  };
  EXPECT_EQ(label(Fault::Kind::unwritten), "unwritten");
  EXPECT_EQ(label(Fault::Kind::out_of_bounds), "out-of-bounds");
  EXPECT_EQ(label(Fault::Kind::input_changed), "input-changed");
  EXPECT_EQ(label(Fault::Kind::environment), "environment");
  EXPECT_EQ(label(Fault::Kind::nondeterministic_poison), "depends-on-output-memory");
}

TEST(Examine, HoldsAPromiseOfDeterminism) {
  PlainCandidate correct;
  Observation seen = correct.run(small(1));
  seen.repeats.push_back(seen.outputs);
  seen.repeats[0].o.bits[0] ^= 1;  // one ulp: inside every bound
  EXPECT_EQ(label_after(seen), "no finding");
  Contract promising = plain_contract();
  promising.promises.deterministic = true;
  EXPECT_EQ(label_after(seen, promising), "nondeterministic");
}

TEST(Examine, TakesARefusalForAFindingOnlyInsideDeclaredLimits) {
  Scripted candidate;
  candidate.script.status = RunStatus::refused;
  EXPECT_EQ(word(examined(small(1), candidate, own_property)), "refused");
  Contract declared = plain_contract();
  candidate.declared.contracts = {declared};
  EXPECT_EQ(word(examined(small(1), candidate, own_property)), "refused") << "no limits declared";
  declared.limits.L = {1, 8};
  candidate.declared.contracts = {declared};
  const Verdict inside = examined(small(1), candidate, own_property);
  ASSERT_EQ(word(inside), "FAIL");
  EXPECT_EQ(finding_of(inside)->label, "refused-inside-limits");
  declared.source = "preset sdpa";
  candidate.declared.contracts = {declared};
  EXPECT_EQ(word(examined(small(1), candidate, own_property)), "refused") << "a preset's limits";
  declared.source = "candidate";
  declared.limits.L = {1, 2};
  candidate.declared.contracts = {declared};
  EXPECT_EQ(word(examined(small(1), candidate, own_property)), "refused") << "outside them";
}

TEST(Examine, RunsNothingOutsideTheLimitsOfTheContract) {
  Scripted candidate;
  Contract contract = plain_contract();
  contract.limits.L = {1, 2};
  EXPECT_EQ(word(examined(small(1), candidate, own_property, contract)), "refused");
  EXPECT_EQ(candidate.calls, 0);
}

TEST(Examine, CountsAPropertyThatDoesNotApplyAsVacuous) {
  Scripted candidate;
  Property property = own_property;
  property.applies = never;
  EXPECT_EQ(word(examined(small(1), candidate, property)), "vacuous");
  EXPECT_EQ(candidate.calls, 0);
}

TEST(Power, ATellingCaseRejectsEveryImpostor) {
  const Problem problem = causal(2);
  const Contract contract = plain_contract();
  const PlannedRun run{problem, ""};
  std::vector<Exhibit> exhibits{Exhibit{&run, &contract, {}, {}}};
  admit_all(exhibits, Rung::arb);
  const Judge judge = [](std::span<const Exhibit> shown) { return judge_all({}, shown); };
  for (const Impostor impostor : every) {
    EXPECT_EQ(try_impostor(impostor, judge, exhibits), Tried::rejected) << word(impostor);
  }
}

TEST(Power, UnmaskedIsNoImpostorWhereNothingIsHidden) {
  const Contract contract = plain_contract();
  const PlannedRun run{small(2), ""};
  EXPECT_FALSE(impostor_outputs(Impostor::unmasked, Exhibit{&run, &contract, {}, {}}).has_value());
}

TEST(Power, AWeakCaseIsPairedWithAControl) {
  Problem weak = causal(3);
  weak.q = make_tensor(weak.format, weak.q.extents);  // the mean of the visible V is the truth
  PlainCandidate correct;
  const Verdict verdict = examined(weak, correct, own_property);
  EXPECT_EQ(word(verdict), "pass");
  EXPECT_EQ(correct.calls, 2);
  EXPECT_EQ(tally_of(verdict).total(), 12);
}

TEST(Power, TheControlCatchesAnImpostorThatIsRightOnTheWeakCase) {
  Problem weak = small(3);
  weak.q = make_tensor(weak.format, weak.q.extents);
  // The outputs of a kernel that answers with the mean of V, which is right for q = 0.
  PlainCandidate plain;
  Scripted mean;
  mean.script = plain.run(weak);
  const Verdict verdict = examined(weak, mean, own_property);
  ASSERT_EQ(word(verdict), "FAIL");
  EXPECT_EQ(finding_of(verdict)->run, "control");
}

TEST(Power, WithoutAControlInsideTheLimitsAWeakCaseIsVacuous) {
  Contract contract = plain_contract();
  contract.limits.S = {1, 1};
  PlainCandidate correct;
  EXPECT_EQ(word(examined(small(4, 1), correct, own_property, contract)), "vacuous");
}

TEST(Power, OneKeyIsPairedWithTwo) {
  PlainCandidate correct;
  EXPECT_EQ(word(examined(small(4, 1), correct, own_property)), "pass");
}

TEST(Power, NoOutputsArePairedWithSome) {
  Problem none = small(5);
  none.shape.L = 0;
  none.q = make_tensor(none.format, {1, 1, 0, 2});
  PlainCandidate correct;
  EXPECT_EQ(word(examined(none, correct, own_property)), "pass");
  EXPECT_GE(correct.calls, 2);
}

TEST(Controls, AreValidAndInsideTheLimits) {
  const Contract contract = plain_contract();
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Choices choices = Choices::from_seed(mix(seed + 900));
    Domain domain;
    domain.work_budget = 4000;
    const Problem problem = draw(choices, domain).problem;
    for (const PlannedRun& run : controls(problem, contract)) {
      ASSERT_NO_THROW(validate(run.problem)) << run.role << "\n" << write_case(problem);
      EXPECT_FALSE(outside(contract.limits, run.problem).has_value());
    }
  }
}

}  // namespace
}  // namespace qkvet::test
