// The second engine: instead of drawing each case by itself it mutates the streams of choices of
// those that reached something new. For candidates that are not instrumented, it is guided by the
// shape of the problems and by the values of error / bound.
#pragma once

#include <qkvet/campaign/campaign.hpp>
#include <qkvet/campaign/fuzz_input.hpp>

namespace qkvet {

/// Where the engine stands.
struct FuzzProgress {
  std::int64_t executions = 0;  ///< cases put to the candidate, those of the corpus included
  std::int64_t kept = 0;        ///< inputs that reached a new class
  std::int64_t classes = 0;     ///< classes of input reached
  std::int64_t failed = 0;
  double worst = 0;  ///< error / bound
};

struct FuzzOptions {
  /// Domain, properties, contracts, corpus to replay, folder for findings. `cases` and `progress`
  /// are not asked; a case's budget of work is the profile's.
  CampaignOptions campaign;
  std::optional<std::int64_t> runs;  ///< executions after the corpus; absent: until `time_up`
  std::filesystem::path keep;        ///< folder for kept inputs; empty: in memory only
  std::function<bool()> time_up;     ///< asked between executions; may be empty
  std::function<void(const FuzzProgress&)> progress;
};

struct FuzzResult {
  Report report;
  FuzzProgress reached;
  std::string ended;  ///< why
};

/// Small cases: a search lives from many executions.
[[nodiscard]] const Profile& fuzz_profile();

/// Replays the corpus, then searches. Without `time_up` one seed gives one result.
[[nodiscard]] FuzzResult run_fuzz(Candidate& candidate, const FuzzOptions& options);

/// Makes the folder of a corpus if it is missing. InputError(cannot_create) that names the folder
/// if it is none, or if no file can be made in it.
void make_corpus_folder(const std::filesystem::path& folder);

/// Keeps one input: the case text with the property and the stream in its metadata, whole or not at
/// all. Not made durable: an input that is lost is found again. InputError as write_durably.
void keep_input(const std::filesystem::path& folder, const Problem& problem,
                std::string_view property, std::string_view stratum, const FuzzInput& input);

}  // namespace qkvet
