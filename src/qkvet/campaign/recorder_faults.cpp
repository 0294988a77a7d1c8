// Which findings show one fault, and what is known of it beside its minimal case.
#include <algorithm>
#include <qkvet/campaign/fault_key.hpp>
#include <qkvet/campaign/neighbours.hpp>
#include <qkvet/campaign/recorder.hpp>
#include <qkvet/report/writers.hpp>

namespace qkvet {

/// What fails and what passes near the minimal case; "" if nobody wants small cases, or where each
/// call costs its time limit.
std::string Recorder::rule_beside(const Problem& smallest, const Property& property,
                                  const Finding& finding, const Terms& terms) {
  if (options_.minimise.calls == 0 || finding.label == "timeout") return "";
  NeighbourBudget budget;
  if (finding.label == "crash") budget.calls = 40;
  return rule_near(smallest, property, candidate_, terms.contract, terms.domain, budget,
                   options_.stopped);
}

/// A finding whose fault may be what fails here: of the same property, format and signature, with a
/// minimal case that this one has all of. If it lacks something, it is another fault, or the same
/// in another guise: then its own minimal case tells.
FindingRecord* Recorder::known_fault(const Failing& failing, const Property& property,
                                     const Terms& terms) {
  const std::string signature = failing.finding.signature();
  std::vector<FindingRecord*> alike;
  for (std::size_t n = 0; n < report_.findings.size(); ++n) {
    FindingRecord& known = report_.findings[n];
    if (known.finding.property != property.name ||
        known.format != info(failing.problem.format).name ||
        known.finding.signature() != signature) {
      continue;
    }
    // Without a minimal case the signature decides: nothing else of it is known.
    const auto minimal = minimal_.find(n);
    if (known.key.empty() || minimal == minimal_.end()) return &known;
    if (may_hold(failing.problem, minimal->second)) return &known;
    alike.push_back(&known);
  }
  if (alike.empty()) return nullptr;
  if (!about_a_place(failing.finding)) return alike.front();  // Calls that die are dear.
  constexpr std::int64_t most_calls = 1000;
  MinimiseBudget budget = options_.minimise;
  budget.calls = std::min(budget.calls, most_calls);
  const Minimised least =
      minimise(failing.problem, failing.finding, property, candidate_, terms.contract, terms.domain,
               ExamineOptions{options_.cross_check}, budget, options_.stopped);
  if (least.exhausted) return alike.front();
  const std::string key = fault_key(least.problem, least.finding);
  for (FindingRecord* known : alike) {
    if (known->key == key) return known;
  }
  return nullptr;
}

}  // namespace qkvet
