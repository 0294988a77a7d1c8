// The waist: one problem, one property, one candidate, one verdict.
#pragma once

#include <functional>
#include <stdexcept>

#include <qkvet/candidate/candidate.hpp>
#include <qkvet/check/property.hpp>
#include <qkvet/check/verdict.hpp>
#include <qkvet/oracle/oracle.hpp>

namespace qkvet {

/// When the two independent oracles are compared.
enum class CrossCheck : std::uint8_t { never, sixteenth, always };

struct ExamineOptions {
  CrossCheck cross_check = CrossCheck::sixteenth;
  std::int64_t cross_check_work = 100'000;  ///< compared only up to this many multiply-adds
  /// How; tests put another in its place.
  std::optional<std::string> (*compare)(const Problem&, const Semantics&) = &qkvet::cross_check;
  /// Called with the first run of each case whose calls ended well, admitted and judged; may be empty.
  std::function<void(const Exhibit&)> watch = {};
  bool suspects = false;  ///< V is random: a pass whose errors are unlikely becomes Suspect
};

/// The oracles disagree, or an allowed set contradicts a relation: an error of ours (exit 70), never a finding.
class OracleDisagreement : public std::logic_error {
  using std::logic_error::logic_error;
};

/// The picture of design.md section 2. Contract: the user's if given, else the candidate's for the problem's format.
[[nodiscard]] Verdict examine(const Problem& problem, const Property& property, Candidate& candidate,
                              const Contract& contract, const ExamineOptions& options);

}  // namespace qkvet
