// What a campaign found, as plain data: the writers beside it turn it into text, JSON and JUnit
// XML. It holds no clock and no address, so that one seed gives one report.
#pragma once

#include <cstdint>
#include <map>
#include <qkvet/check/verdict.hpp>
#include <qkvet/num/error.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace qkvet {

/// The version of qkvet, as printed in reports and case files.
[[nodiscard]] std::string_view version();

/// The contract under which problems of one storage format were judged.
struct ContractUse {
  std::string format, name, digest, source;
  int version = 1;
  bool assumed = false;                     ///< nobody declared it
  std::vector<std::string> assumed_fields;  ///< "field (flag that sets it)"
};

struct PropertyResult {
  std::string name;
  std::int64_t pass = 0, fail = 0, suspect = 0, undecided = 0;  ///< accepted cases
  std::int64_t refused = 0, vacuous = 0, not_applying = 0;      ///< redrawn cases
  double worst = 0;  ///< largest error / bound among accepted cases
  Tally tally;
  bool selected = false;     ///< named by the user, not only one of all
  std::string stopped;       ///< why it ended before its number of cases; empty if it did not
  std::string last_refusal;  ///< words of the last refusal, vacuity or reason for not applying

  std::map<std::string, std::int64_t> reasons;  ///< of refusals, how often; the first 64 different

  void refuse(const std::string& reason);  ///< Counts one.
  /// Nothing was tried: the campaign ended before its turn.
  [[nodiscard]] bool not_run() const {
    return accepted() + refused + vacuous + not_applying == 0 && last_refusal.empty();
  }
  [[nodiscard]] std::int64_t accepted() const { return pass + fail + suspect + undecided; }
  /// It applied to some problem, yet no case was accepted.
  [[nodiscard]] bool not_tested() const {
    return accepted() == 0 && (selected || refused + vacuous > 0);
  }
};

struct StratumResult {
  std::string name;
  std::int64_t cases = 0, refused = 0, vacuous = 0;
  Tally tally;
};

/// How often the candidate took, and how often it refused, problems with a feature.
struct FeatureCount {
  std::string name;
  std::int64_t accepted = 0, refused = 0;
};

/// A finding with what is needed to look at it again.
struct FindingRecord {
  Finding finding;        ///< of the minimal case
  std::string case_text;  ///< the minimal case, exact bits
  std::string shape;      ///< of the minimal case, in words
  std::string format;     ///< storage format of the case
  std::string stratum;    ///< where the case was drawn
  std::string contract;   ///< "f32-any/1"
  std::vector<std::string> assumed_fields;
  std::string also;       ///< what the usual rules say of the minimal case; empty if not asked
  std::vector<std::string> bound_terms;  ///< the largest terms of the bound: "exp 40% (3.5)"
  std::string repro;                     ///< the command line that shows it again
  std::string saved;                     ///< file of the minimal case; empty if it was not saved
  std::int64_t after = 0;                ///< accepted cases of the property up to it
  std::int64_t seen = 1;                 ///< failing cases with this signature
  std::int64_t steps = 0;                ///< of the minimiser that were kept
  std::int64_t calls = 0;                ///< of the minimiser
  bool exhausted = false;                ///< its budget ended before nothing simpler failed
  std::string rule;  ///< which neighbours of the minimal case fail, in words; may be empty
  std::string key;   ///< what the minimal case has: findings with one key show one fault
  int reproduced = 0, tries = 0;
  /// Seen in the campaign's process but not in a fresh one: `repro` repeats the campaign's calls.
  bool state_dependent = false;
};

/// How one acceptance rule judged the first run of each case whose calls ended well.
struct CriterionCount {
  std::string name;
  std::int64_t pass = 0, fail = 0;
  std::int64_t absent = 0;  ///< the rule could not be evaluated
  std::int64_t missed = 0;  ///< passed although an output lies outside what the contract admits
  std::int64_t alarms = 0;  ///< failed although every output is admitted
  double value = 0, limit = 0;  ///< of the case that came closest to the limit, or went farthest beyond
  [[nodiscard]] std::int64_t cases() const { return pass + fail + absent; }
};

/// An error that did not stop the campaign: a finding that could not be saved, a bad corpus file.
struct Trouble {
  ExitCode code = ExitCode::io_error;
  std::string message;
};

struct Report {
  std::string command;  ///< as typed
  std::string candidate, isolation, profile;
  std::uint64_t seed = 0;
  std::vector<ContractUse> contracts;
  std::vector<PropertyResult> properties;
  std::vector<StratumResult> strata;
  std::vector<FeatureCount> features;
  std::vector<FindingRecord> findings, suspects;
  std::vector<CriterionCount> criteria;  ///< empty unless the user asked for them
  std::string gate;  ///< the criterion that decides the exit code; empty: our own verdict
  std::int64_t call_failures = 0;  ///< failing cases about a whole call, which every gate counts
  std::vector<Trouble> troubles;
  Tally set_aside;  ///< elements of vacuous cases, which are not among those of the properties
  std::int64_t corpus_cases = 0;                ///< replayed before anything was drawn
  std::string search;  ///< lines of the text report on how `fuzz` went; else empty
  std::int64_t across_tile = 0, long_keys = 0;  ///< accepted cases with S > 64, and with S >= 512
  bool interrupted = false;
  bool strict = false;  ///< the user asked that any suspect or undecided case be inconclusive
};

/// How many of the cases that were put to the candidate it refused, and the most frequent reason.
struct Refusals {
  std::int64_t refused = 0, draws = 0, most_often_count = 0;
  std::string most_often;
};
[[nodiscard]] Refusals refusals_of(const Report& report);

[[nodiscard]] Tally total_tally(const Report& report);

/// Elements for which the contract gives no finite bound, among all that were looked at.
struct Unbounded {
  std::int64_t elements = 0, of = 0;
  /// Most of them: the contract promises next to nothing about what was drawn.
  [[nodiscard]] bool mostly() const { return elements * 2 > of; }
};
[[nodiscard]] Unbounded unbounded_of(const Report& report);
[[nodiscard]] PropertyResult total_result(const Report& report);

/// The counts of the criterion that decides the exit code; null if our own verdict does.
[[nodiscard]] const CriterionCount* gate_of(const Report& report);

/// True if the verdict of this report is FAIL, by whatever decides it.
[[nodiscard]] bool fails(const Report& report);

/// The exit code of a report.
[[nodiscard]] ExitCode exit_code(const Report& report);

/// The one of two codes that wins when both apply (the order is in the README).
[[nodiscard]] ExitCode prevailing(ExitCode a, ExitCode b);

}  // namespace qkvet
