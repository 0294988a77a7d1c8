// Small drawn cases put to a candidate, counted by verdict; a correct kernel with one thing bent;
// and judges that must do without the oracle.
#pragma once

#include <functional>
#include <limits>
#include <qkvet/check/decide.hpp>
#include <qkvet/check/examine.hpp>
#include <qkvet/check/observe.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/text.hpp>
#include <string>

#include "../support/plain_candidate.hpp"
#include "properties/registry.hpp"

namespace qkvet::test {

struct Counts {
  int applied = 0, pass = 0, fail = 0, vacuous = 0, undecided = 0, refused = 0;
  std::string first_failure;
};

inline Domain small_cases(Format format) {
  Domain domain;
  domain.formats = {format};
  domain.B = {1, 2};
  domain.H_q = {1, 4};
  domain.H_kv = {1, 2};
  domain.L = {1, 7};
  domain.S = {1, 9};
  domain.d_k = {1, 5};
  domain.d_v = {1, 5};
  return domain;
}

/// The n-th small problem that the property prepared; absent if it does not apply.
inline std::optional<Problem> prepared_case(const Property& property, const Contract& contract,
                                            const Domain& domain, int n) {
  const std::uint64_t seed = mix(static_cast<std::uint64_t>(n) + 77);
  Choices choices = Choices::from_seed(seed);
  Problem problem = draw(choices, domain).problem;
  if (property.prepare != nullptr) {
    Problem prepared = problem;
    property.prepare(prepared, seed);
    if (!outside(domain, prepared)) problem = prepared;
  }
  if (property.applies(problem, contract)) return std::nullopt;
  return problem;
}

inline void count(const Verdict& verdict, const Problem& problem, Counts& counts) {
  counts.pass += std::holds_alternative<Pass>(verdict);
  counts.vacuous += std::holds_alternative<Vacuous>(verdict);
  counts.undecided += std::holds_alternative<Undecided>(verdict);
  counts.refused += std::holds_alternative<Refused>(verdict);
  if (!std::holds_alternative<Fail>(verdict)) return;
  if (counts.fail++ == 0) {
    counts.first_failure =
        finding_of(verdict)->run + ": " + finding_of(verdict)->message + "\n" + write_case(problem);
  }
}

inline Counts try_on(const Property& property, Candidate& candidate, const Contract& contract,
                     int draws) {
  Counts counts;
  const Domain domain = small_cases(contract.format);
  for (int n = 0; n < draws; ++n) {
    const auto problem = prepared_case(property, contract, domain, n);
    if (!problem) continue;
    ++counts.applied;
    count(examine(*problem, property, candidate, contract, {CrossCheck::never}), *problem, counts);
  }
  return counts;
}

/// The property's verdict if `own` admitted every number: what the relation alone says.
inline Verdict relation_alone(const Problem& problem, const Property& property,
                              Candidate& candidate, const Contract& contract) {
  const Plan plan = property.plan(problem, contract);
  std::vector<Exhibit> exhibits = observe(plan.runs, contract, candidate);
  if (auto ended = judge_calls(property, exhibits, candidate)) return *ended;
  admit_all(exhibits, Rung::arb);
  constexpr double most = std::numeric_limits<double>::max();
  for (Exhibit& exhibit : exhibits) {
    for (std::vector<Place>* places : {&exhibit.admissible.o, &exhibit.admissible.lse}) {
      for (Place& place : *places) {
        place.allowed = {-most, most};
        place.nan = place.plus_inf = place.minus_inf = true;
      }
    }
  }
  return property.judge(plan, exhibits);
}

inline Counts try_relation_alone(const Property& property, Candidate& candidate,
                                 const Contract& contract, int draws) {
  Counts counts;
  const Domain domain = small_cases(contract.format);
  for (int n = 0; n < draws; ++n) {
    const auto problem = prepared_case(property, contract, domain, n);
    if (!problem) continue;
    ++counts.applied;
    count(relation_alone(*problem, property, candidate, contract), *problem, counts);
  }
  return counts;
}

/// The correct kernel, which is handed another problem, or whose outputs are changed afterwards.
class BentCandidate final : public Candidate {
 public:
  using Bend = std::function<void(Problem&)>;
  using Warp = std::function<void(const Problem&, Outputs&)>;

  explicit BentCandidate(Bend bend, Warp warp = {})
      : bend_(std::move(bend)), warp_(std::move(warp)) {}

  [[nodiscard]] const std::string& name() const override { return plain_.name(); }
  [[nodiscard]] const ContractSet& contracts() const override { return plain_.contracts(); }
  [[nodiscard]] const char* isolation() const override { return "L0"; }

  using Candidate::run;
  [[nodiscard]] Observation run(const Problem& problem, const OutputFormats& formats) override {
    Problem bent = problem;
    if (bend_) bend_(bent);
    Observation seen = plain_.run(bent, formats);
    if (warp_) warp_(problem, seen.outputs);
    return seen;
  }

 private:
  PlainCandidate plain_;
  Bend bend_;
  Warp warp_;
};

inline void promise_all(Contract& contract) {
  Promises& p = contract.promises;
  p.deterministic = p.batch = p.row = p.columns = p.padding = p.channels = p.groups = true;
  p.layout = p.threads = p.splits = p.selection = p.mask_forms = p.symmetric = true;
  p.exact_one = p.weights_from_scores = p.minus_inf = true;
}

/// The plain contract with every promise: the plain kernel keeps them all.
inline Contract promising_contract(Format format = Format::binary32) {
  Contract contract = plain_contract(format);
  promise_all(contract);
  return contract;
}

}  // namespace qkvet::test
