#include <chrono>
#include <qkvet/campaign/minimise.hpp>
#include <qkvet/problem/simpler.hpp>
#include <string>
#include <unordered_set>

namespace qkvet {
namespace {

/// What is left of a budget.
class Purse {
 public:
  explicit Purse(const MinimiseBudget& budget)
      : budget_(budget), until_(Clock::now() + std::chrono::duration<double>(budget.seconds)) {}

  /// Extents of one or zero still cost a call, so each problem weighs at least something.
  void pay(const Problem& problem) { work_ += problem.shape.work() + 1000; }
  [[nodiscard]] bool empty(std::int64_t calls) const {
    return calls >= budget_.calls || work_ > budget_.work || Clock::now() > until_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  const MinimiseBudget& budget_;
  std::chrono::time_point<Clock, std::chrono::duration<double>> until_;
  std::int64_t work_ = 0;
};

}  // namespace

Minimised minimise(const Problem& problem, const Finding& finding, const Property& property,
                   Candidate& candidate, const Contract& contract, const Domain& domain,
                   const ExamineOptions& options, const MinimiseBudget& budget,
                   const std::function<bool()>& stopped) {
  Minimised result{problem, finding};
  const std::string signature = finding.signature();
  Purse purse(budget);
  std::unordered_set<std::string> passed;  // A pass repeats most offers of the one before.
  bool ended = false;
  const auto keep = [&](const Problem& smaller) {
    ended = ended || purse.empty(result.calls) || (stopped && stopped());
    if (ended) return true;
    if (property.applies(smaller, contract)) return false;
    std::string name = digest(smaller);
    if (passed.contains(name)) return false;
    purse.pay(smaller);
    ++result.calls;
    if (budget.afresh) (void)candidate.renew();
    const Verdict verdict = examine(smaller, property, candidate, contract, options);
    const Finding* found = std::holds_alternative<Fail>(verdict) ? finding_of(verdict) : nullptr;
    if (found == nullptr || found->signature() != signature) {
      passed.insert(std::move(name));
      return false;
    }
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
