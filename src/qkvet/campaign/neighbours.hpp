// What passes and what fails beside a minimal case.
#pragma once

#include <functional>
#include <qkvet/check/examine.hpp>
#include <qkvet/problem/domain.hpp>
#include <string>

namespace qkvet {

/// How much may be tried.
struct NeighbourBudget {
  std::int64_t calls = 400;     ///< of examine
  std::int64_t work = 200'000;  ///< multiply-adds of one neighbour
  double seconds = 3;           ///< on the wall
};

/// Cases that differ from `minimal`, which fails, in one extent (longer ones repeat their first or
/// their last entry; values of new keys stand out) or lack one of its features, put to the
/// candidate. The rule that explains them, in words: "fails iff S mod 64 = 1 and S >= 65 (31 of 31
/// tried); passes without bool mask"; empty if all of them fail. Stays inside `domain`; `stopped`
/// ends it. What hangs ends it, too.
[[nodiscard]] std::string rule_near(const Problem& minimal, const Property& property,
                                    Candidate& candidate, const Contract& contract,
                                    const Domain& domain, const NeighbourBudget& budget,
                                    const std::function<bool()>& stopped);

}  // namespace qkvet
