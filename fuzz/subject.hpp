// The kernel under test and what may be drawn for it: shared by the targets that judge a kernel.
#pragma once

#include <memory>
#include <optional>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/problem/draw.hpp>
#include <vector>

#include "fuzz/call.hpp"
#include "fuzz/engine.hpp"

namespace qkvet::fuzz {

/// The kernel at level L0: linked into this program, or a built-in one by name.
class Subject {
 public:
  /// `narrow`: what the target draws inside the size. InputError(usage) for an unknown kernel or if
  /// nothing is left to draw.
  Subject(const Settings& settings, Domain (*narrow)(Domain));

  [[nodiscard]] Candidate& candidate() { return *candidate_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] DirectCall& call() { return call_; }
  /// The contract for a storage format; null if the kernel does not take it.
  [[nodiscard]] const Contract* contract(Format format) const;
  /// The problem that the choices make, in one of the kernel's formats.
  [[nodiscard]] Problem draw(Choices& choices) const;

 private:
  const qkvet_candidate& table_;
  std::string name_;
  std::unique_ptr<Candidate> candidate_;
  DirectCall call_;
  std::vector<Terms> terms_;
};

/// Prints the finding, the case and (if a property is named) the repro line, then aborts: every
/// engine takes that for a find and keeps the input.
[[noreturn]] void found(Subject& subject, const Problem& problem, std::string_view property,
                        const std::string& what);

/// The case asked for the property and decided by the waist (design.md 2): does nothing unless it
/// is a FAIL, which is found(). An oracle disagreement ends the run as well and says that it is
/// ours.
void must_hold(Subject& subject, const Problem& problem, std::string_view property);

}  // namespace qkvet::fuzz
