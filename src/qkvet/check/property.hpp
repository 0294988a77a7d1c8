// A property: plans related Problems and judges what was seen. Pure; it never calls a kernel.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <qkvet/bound/admissible.hpp>
#include <qkvet/candidate/observation.hpp>
#include <qkvet/check/verdict.hpp>
#include <qkvet/contract/contract.hpp>
#include <qkvet/problem/problem.hpp>

namespace qkvet {

/// One problem of a plan. `role` is "" for the problem itself, else e.g. "keys permuted", "control".
struct PlannedRun {
  Problem problem;
  std::string role;
};

/// A plan. `map` carries whatever the judge needs to relate the runs (a permutation, a row number, ...): it is
/// recomputed from the first problem by the same pure function, so judges may also ignore it.
struct Plan {
  std::vector<PlannedRun> runs;
  std::vector<std::int64_t> map;
};

/// One planned run with its allowed set and what was observed.
struct Exhibit {
  const PlannedRun* run = nullptr;
  const Contract* contract = nullptr;
  Admissible admissible;
  Observation observation;
};

/// The wrong answers that a plan must reject to have power (design.md 5, relations.md rule 9).
enum class Impostor : std::uint8_t { zeros, mean_v, first_v, unmasked, sign_flip };

struct Property {
  std::string_view name;
  std::string_view statement;  ///< one sentence
  /// Absent if the property speaks of this problem under this contract, else the reason why not.
  std::optional<std::string> (*applies)(const Problem&, const Contract&);
  /// The related problems, first the problem itself or its rewrite. Seeds come from the property's name only.
  Plan (*plan)(const Problem&, const Contract&);
  Verdict (*judge)(const Plan&, std::span<const Exhibit>);
  std::span<const Impostor> impostors;  ///< that the whole plan must reject, else the case is vacuous
  /// Adjusts a drawn problem so that the property is likely to apply and have power (may be null).
  void (*prepare)(Problem&, std::uint64_t seed) = nullptr;
  std::string_view kills;  ///< the mutant that this property must kill
};

}  // namespace qkvet
