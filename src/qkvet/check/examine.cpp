// The waist, as a picture: plan, run, look at how the calls ended, enclose and bound, judge, ask
// for power.
#include <qkvet/check/decide.hpp>
#include <qkvet/check/examine.hpp>
#include <qkvet/check/observe.hpp>
#include <qkvet/check/power.hpp>
#include <qkvet/check/suspicion.hpp>
#include <qkvet/num/float_environment.hpp>

namespace qkvet {
namespace {

/// Compares the two independent oracles on this problem, if it is its turn and small enough.
void cross_check_oracles(const Problem& problem, const Contract& contract,
                         const ExamineOptions& options) {
  if (options.cross_check == CrossCheck::never) return;
  if (problem.shape.work() > options.cross_check_work) return;
  if (options.cross_check == CrossCheck::sixteenth && digest(problem).back() != '0') return;
  if (const auto difference = options.compare(problem, contract.semantics)) {
    throw OracleDisagreement(*difference);
  }
}

}  // namespace

Verdict examine(const Problem& problem, const Property& property, Candidate& candidate,
                const Contract& contract, const ExamineOptions& options) {
  const DefaultFloatEnvironment environment;
  if (const auto why = property.applies(problem, contract)) {
    return Vacuous{"does not apply: " + *why, {}};
  }
  const Plan plan = property.plan(problem, contract);
  const Judge judge = [&](std::span<const Exhibit> shown) { return property.judge(plan, shown); };

  // The candidate runs before any oracle: nothing of the truth exists yet that it could read.
  std::vector<Exhibit> exhibits = observe(plan.runs, contract, candidate);
  if (const auto ended = judge_calls(property, exhibits, candidate)) return *ended;

  cross_check_oracles(plan.runs.front().problem, contract, options);
  const Verdict verdict = decide(judge, exhibits);
  if (options.watch) options.watch(exhibits.front());
  const auto* pass = std::get_if<Pass>(&verdict);
  if (pass == nullptr) return verdict;
  Verdict powered = with_power(property, judge, *pass, exhibits, candidate);
  if (options.suspects && std::holds_alternative<Pass>(powered)) {
    if (auto suspect = suspicion(exhibits.front(), candidate, pass->tally)) {
      suspect->finding.property = property.name;
      return *suspect;
    }
  }
  return powered;
}

}  // namespace qkvet
