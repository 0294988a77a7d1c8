#include <qkvet/campaign/minimise.hpp>
#include <qkvet/problem/simpler.hpp>

namespace qkvet {

Minimised minimise(const Problem& problem, const Finding& finding, const Property& property,
                   Candidate& candidate, const Contract& contract, const Domain& domain,
                   const ExamineOptions& options, const MinimiseBudget& budget,
                   const std::function<bool()>& stopped) {
  Minimised result{problem, finding};
  const std::string signature = finding.signature();
  std::int64_t work = 0;
  bool ended = false;
  const auto keep = [&](const Problem& smaller) {
    // Extents of one or zero still cost a call, so each problem weighs at least something.
    work += smaller.shape.work() + 1000;
    ended = result.calls >= budget.calls || work > budget.work || (stopped && stopped());
    if (ended) return true;
    if (property.applies(smaller, contract)) return false;
    ++result.calls;
    if (budget.afresh) (void)candidate.renew();
    const Verdict verdict = examine(smaller, property, candidate, contract, options);
    const Finding* found = std::holds_alternative<Fail>(verdict) ? finding_of(verdict) : nullptr;
    if (found == nullptr || found->signature() != signature) return false;
    result.problem = smaller;
    result.finding = *found;
    ++result.steps;
    return true;
  };
  while (!ended) {
    const Problem current = result.problem;
    if (!simpler(current, domain, keep)) return result;
  }
  result.exhausted = true;
  return result;
}

}  // namespace qkvet
