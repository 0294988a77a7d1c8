#include <limits>
#include <qkvet/check/observe.hpp>
#include <qkvet/num/float_environment.hpp>
#include <string>

namespace qkvet {
namespace {

std::string_view label_of(RunStatus status) {
  switch (status) {
    case RunStatus::crashed:
      return "crash";
    case RunStatus::timed_out:
      return "timeout";
    default:
      return "failed";
  }
}

std::string_view label_of(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::unwritten:
      return "unwritten";
    case Fault::Kind::out_of_bounds:
      return "out-of-bounds";
    case Fault::Kind::input_changed:
      return "input-changed";
    case Fault::Kind::environment:
      return "environment";
    case Fault::Kind::nondeterministic_poison:
      break;
  }
  return "depends-on-output-memory";
}

/// A finding about a call, not about a place.
Finding finding_about(const Property& property, const Exhibit& exhibit, std::string_view label,
                      std::string message) {
  Finding finding;
  finding.property = property.name;
  finding.label = label;
  finding.run = exhibit.run->role;
  finding.allowed.kind = PlaceKind::exact;
  finding.excess = std::numeric_limits<double>::infinity();
  finding.message = std::move(message);
  return finding;
}

std::optional<Finding> fault_of(const Property& property, const Exhibit& exhibit) {
  const Observation& seen = exhibit.observation;
  if (seen.status != RunStatus::ok && seen.status != RunStatus::refused) {
    return finding_about(property, exhibit, label_of(seen.status), seen.message);
  }
  if (!seen.faults.empty()) {
    const Fault& fault = seen.faults.front();
    return finding_about(property, exhibit, label_of(fault.kind),
                         fault.tensor + ": " + fault.detail);
  }
  if (exhibit.contract->promises.deterministic && !seen.repeats.empty()) {
    return finding_about(property, exhibit, "nondeterministic",
                         "a repeated call gave other bits; the contract promises equal ones");
  }
  return std::nullopt;
}

/// Did the candidate itself say that it takes this problem? Limits that restrict nothing say
/// nothing; those of a preset say what its signature can express, not what this function takes.
bool declared_to_take(const Candidate& candidate, const Problem& problem) {
  if (candidate.contracts().contracts.empty()) return false;
  const Contract declared = candidate.contracts().at(problem.format);
  if (declared.source.starts_with("preset ")) return false;
  const Domain& limits = declared.limits;
  Domain unlimited;
  unlimited.formats = limits.formats;
  return !(limits == unlimited) && !outside(limits, problem);
}

}  // namespace

std::vector<Exhibit> observe(std::span<const PlannedRun> runs, const Contract& contract,
                             Candidate& candidate) {
  std::vector<Exhibit> exhibits;
  for (const PlannedRun& run : runs) {
    Exhibit exhibit{&run, &contract, {}, {}};
    if (const auto limit = outside(contract.limits, run.problem)) {
      exhibit.observation.status = RunStatus::refused;
      exhibit.observation.message = "not run, outside the limits of the contract: " + *limit;
    } else {
      const DefaultFloatEnvironment guard;
      exhibit.observation = candidate.run(run.problem, output_formats(contract));
    }
    exhibits.push_back(std::move(exhibit));
  }
  return exhibits;
}

std::optional<Verdict> judge_calls(const Property& property, std::span<const Exhibit> exhibits,
                                   const Candidate& candidate) {
  for (const Exhibit& exhibit : exhibits) {
    if (const auto finding = fault_of(property, exhibit)) return Fail{*finding, {}};
  }
  for (const Exhibit& exhibit : exhibits) {
    const Observation& seen = exhibit.observation;
    if (seen.status != RunStatus::refused) continue;
    if (seen.message.starts_with(signature_lacks) || seen.message.starts_with(no_memory) ||
        outside(exhibit.contract->limits, exhibit.run->problem) ||
        !declared_to_take(candidate, exhibit.run->problem)) {
      return Refused{seen.message};
    }
    return Fail{
        finding_about(property, exhibit, "refused-inside-limits",
                      "refused, but its contract declares that it takes this: " + seen.message),
        {}};
  }
  return std::nullopt;
}

}  // namespace qkvet
