// From a failing problem to a small one that fails in the same way.
#pragma once

#include <cstdint>
#include <functional>
#include <qkvet/check/examine.hpp>
#include <qkvet/problem/domain.hpp>

namespace qkvet {

/// Counts first, so that the result depends on the problem only; the clock is for slow candidates.
struct MinimiseBudget {
  std::int64_t calls = 5000;          ///< of examine
  std::int64_t work = 3'000'000'000;  ///< multiply-adds of all problems tried
  bool afresh = false;                ///< each call in a process without a past: dear
  double seconds = 30;                ///< on the wall
};

struct Minimised {
  Problem problem;
  Finding finding;
  std::int64_t steps = 0;  ///< kept
  std::int64_t calls = 0;
  bool exhausted = false;  ///< the budget ended before nothing simpler failed
};

/// Repeats the first step of `simpler` that keeps the finding's signature until none does. Stays
/// inside `domain`. `stopped` ends it early (a signal); what was reached so far is returned. A
/// problem that did not fail is not tried twice.
[[nodiscard]] Minimised minimise(const Problem& problem, const Finding& finding,
                                 const Property& property, Candidate& candidate,
                                 const Contract& contract, const Domain& domain,
                                 const ExamineOptions& options, const MinimiseBudget& budget,
                                 const std::function<bool()>& stopped);

}  // namespace qkvet
