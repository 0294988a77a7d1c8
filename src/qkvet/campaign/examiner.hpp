// One problem after another: put to the candidate, counted in the Report, kept if it fails. What
// every engine (campaign, fuzz) does with the problems that it comes by.
#pragma once

#include <optional>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/campaign/recorder.hpp>
#include <string_view>
#include <vector>

namespace qkvet {

/// A format that the candidate takes, and how it has fared in it.
struct Candidacy {
  Format format;
  Terms terms;
  std::int64_t failures = 0, distinct = 0;
  std::int64_t hard = 0;  ///< crashes and time-outs: dear ones

  /// Enough is known: the other formats get the rest of the cases.
  [[nodiscard]] bool ended() const;
};

/// True if the verdict is of a case that counts: not refused, not vacuous.
[[nodiscard]] bool is_accepted(const Verdict& verdict);

class Examiner {
 public:
  /// Fills in the report's header: candidate, formats with their contracts, properties, strata.
  Examiner(Candidate& candidate, const CampaignOptions& options, Report& report);

  [[nodiscard]] std::vector<Candidacy>& formats() { return formats_; }
  /// Null if the candidate does not take problems of this format.
  [[nodiscard]] Candidacy* at(Format format);
  [[nodiscard]] PropertyResult& result_of(const Property& property);

  /// Examines and counts. Absent if the property does not speak of the problem, and when the
  /// campaign was stopped or broke meanwhile. Without `as_drawn` nothing is suspected: the problem is
  /// not one of those that statistics were calibrated on.
  [[nodiscard]] std::optional<Verdict> consider(const Problem& problem, const Property& property,
                                                Candidacy& format, std::string_view stratum,
                                                bool as_drawn = true);

  /// A signal came: what the candidate did since is no evidence.
  [[nodiscard]] bool interrupted() const { return interrupted_; }
  /// No more: a signal, an error of ours, an unusable candidate, or a finding under stop_first.
  [[nodiscard]] bool over() const;
  [[nodiscard]] std::int64_t failed() const { return failed_; }
  [[nodiscard]] double worst() const { return worst_; }

 private:
  [[nodiscard]] std::optional<Verdict> judge(const Problem& problem, const Property& property,
                                             Candidacy& format, std::string_view stratum,
                                             bool as_drawn);
  void count(const Problem& problem, const Verdict& verdict, PropertyResult& result,
             std::string_view stratum);
  void trouble(ExitCode code, std::string_view what, const Problem& problem);

  Candidate& candidate_;
  const CampaignOptions& options_;
  Report& report_;
  Recorder recorder_;
  std::vector<Candidacy> formats_;
  std::int64_t failed_ = 0;
  double worst_ = 0;
  bool interrupted_ = false;
  bool broken_ = false;  // The report so far is kept.
};

/// The drawn problem as the property wants it, if that lies inside the domain; else as it was.
void prepare(Problem& problem, const Property& property, const Domain& domain, std::uint64_t seed);

}  // namespace qkvet
