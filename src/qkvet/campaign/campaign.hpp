// The only loop: from seeds to problems to verdicts to a Report.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <qkvet/campaign/corpus.hpp>
#include <qkvet/campaign/minimise.hpp>
#include <qkvet/campaign/profiles.hpp>
#include <qkvet/report/report.hpp>
#include <string>
#include <vector>

namespace qkvet {

/// Where the loop stands, for whoever shows progress.
struct Progress {
  std::string_view property;
  std::int64_t done = 0, planned = 0;  ///< accepted cases of all properties
  std::int64_t failed = 0;
  double worst = 0;
};

struct CampaignOptions {
  Profile profile;
  std::optional<std::int64_t> cases;  ///< of every property, instead of the profile's numbers
  std::uint64_t seed = 1;
  Domain domain;                            ///< what the user wants drawn
  std::optional<ContractSet> contracts;     ///< the user's: win over the candidate's own
  std::vector<const Property*> properties;  ///< in the order of the report
  bool selected = false;                    ///< the user named them
  bool stop_first = false;                  ///< end at the first finding
  CrossCheck cross_check = CrossCheck::sixteenth;
  MinimiseBudget minimise;
  Corpus corpus;
  bool replay_all = false;    ///< every property on every corpus case, the domain not asked (repro)
  std::filesystem::path out;  ///< folder for findings; empty: not saved
  std::string candidate;      ///< as typed: what repro lines name; empty: its own name
  std::string command;        ///< as typed
  std::string repro_flags;    ///< appended to repro lines, quoted for a shell
  bool criteria = false;          ///< the acceptance rules of others are evaluated as well
  std::string criterion;          ///< the one that decides the exit code; empty: our verdict
  Candidate* twin = nullptr;      ///< a plain implementation, for the rules that need one; kept alive by the caller
  std::function<bool()> stopped;  ///< asked between cases; may be empty
  std::function<void(const Progress&)> progress;
};

/// The contract for problems of `format` and what may be drawn in it: the user's contract wins, the
/// candidate's limits always hold; features that `wanted` rules out are outside the limits of plans
/// too. `domain.formats` is empty if the candidate does not take the
/// format.
struct Terms {
  Contract contract;
  Domain domain;
};
[[nodiscard]] Terms terms_for(Format format, const Candidate& candidate,
                              const std::optional<ContractSet>& user, const Domain& wanted);

/// The formats of `wanted` in which problems are drawn if nobody names any: those that the
/// contracts given by the user speak of; else those that the candidate's own contracts and limits
/// declare; else, since a preset speaks for nobody's kernel, f32 and f64. In the order of `wanted`;
/// only what the candidate takes.
[[nodiscard]] std::vector<Format> usual_formats(const Candidate& candidate,
                                                const std::optional<ContractSet>& user,
                                                const Domain& wanted);

/// The formats of `wanted` that the candidate takes.
[[nodiscard]] std::vector<Format> taken_formats(const Candidate& candidate,
                                                const std::optional<ContractSet>& user,
                                                const Domain& wanted);

/// Features of a problem by name, for the counts of what a candidate accepts.
[[nodiscard]] std::vector<std::string_view> features_of(const Problem& problem);

/// One line such as "B 1  H 2/1  L 1  S 65  d_k 4  d_v 4  f32  causal br".
[[nodiscard]] std::string describe_shape(const Problem& problem);

/// The command line that repeats a finding: the bits themselves when the text is short, else the
/// file.
[[nodiscard]] std::string repro_line(const std::string& case_text, const std::string& saved,
                                     std::string_view property, const std::string& candidate,
                                     const std::string& flags);

/// `text` as one word for a POSIX shell.
[[nodiscard]] std::string shell_quoted(std::string_view text);

/// Runs it. OracleDisagreement passes through; disk errors become troubles of the report.
[[nodiscard]] Report run_campaign(Candidate& candidate, const CampaignOptions& options);

}  // namespace qkvet
