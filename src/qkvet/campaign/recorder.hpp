// What happens to a failing case: saved, tried again, minimised, saved again, written into the
// Report.
#pragma once

#include <map>
#include <qkvet/campaign/campaign.hpp>

namespace qkvet {

class Recorder {
 public:
  Recorder(Candidate& candidate, const CampaignOptions& options, Report& report)
      : candidate_(candidate), options_(options), report_(report) {}

  /// A failing case. True if it is a new one; one of a known fault is only counted (known_fault).
  bool fail(const Problem& problem, const Property& property, const Finding& finding,
            const Terms& terms, std::string_view stratum, std::int64_t after);

  /// A suspect case: kept as it is.
  void suspect(const Problem& problem, const Property& property, const Finding& finding,
               const Terms& terms, std::string_view stratum, std::int64_t after);

 private:
  struct Failing {
    Problem problem;
    Finding finding;
  };
  [[nodiscard]] std::optional<Failing> failing_control(const Problem& problem,
                                                       const Property& property,
                                                       const Finding& finding, const Terms& terms);
  [[nodiscard]] FindingRecord* known_fault(const Failing& failing, const Property& property,
                                           const Terms& terms);
  [[nodiscard]] std::string rules_on(const Problem& problem, const Property& property,
                                     const Finding& finding, const Terms& terms);
  [[nodiscard]] FindingRecord describe(const Problem& problem, const Property& property,
                                       const Finding& finding, const Terms& terms,
                                       std::string_view stratum, std::int64_t after) const;
  [[nodiscard]] std::string save(const Problem& problem, const FindingRecord& record,
                                 const Terms& terms, bool raw);
  void try_again(const Problem& problem, const Property& property, const Terms& terms,
                 FindingRecord& record);
  /// Does the case fail in a process without a past? True also where there is no such process.
  [[nodiscard]] bool fails_afresh(const Problem& problem, const Property& property,
                                  const Terms& terms);
  [[nodiscard]] Minimised shrink(const Failing& from, const Property& property, const Terms& terms,
                                 bool afresh);
  [[nodiscard]] std::string rule_beside(const Problem& smallest, const Property& property,
                                        const Finding& finding, const Terms& terms);
  [[nodiscard]] std::string campaign_line(const std::string& property) const;
  [[nodiscard]] std::string repro(const FindingRecord& record) const;

  Candidate& candidate_;
  const CampaignOptions& options_;
  Report& report_;
  std::map<std::size_t, Problem> minimal_;  ///< by the place of the finding in the report
};

}  // namespace qkvet
