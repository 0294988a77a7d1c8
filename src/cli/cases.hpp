// What `check` and `fuzz` have in common: which cases the user asked for, and where the report
// goes.
#pragma once

#include <filesystem>
#include <memory>
#include <qkvet/campaign/campaign.hpp>
#include <vector>

#include "cli/options.hpp"

namespace qkvet::cli {

/// Seed, domain, contracts, properties and the places of findings; the rest is the engine's.
[[nodiscard]] CampaignOptions drawn_cases(const CaseOptions& options);

/// Sets what the campaign does with criteria; what it returns must outlive the campaign. Throws
/// InputError(usage) if there is no such criterion.
[[nodiscard]] std::unique_ptr<Candidate> use_criteria(CampaignOptions& campaign,
                                                      const CriteriaOptions& options);

/// Settles which formats are drawn: what was named (by --dtype or --where) and is taken; if nothing
/// was named, what is usual for the candidate. A contract that was given speaks of its formats only:
/// the others are not drawn under another one. Throws InputError(usage) if none is left.
void choose_formats(CampaignOptions& campaign, const CaseOptions& options,
                    const Candidate& candidate);

/// The cases to replay: those that come with qkvet (unless the user wants none of them), then those
/// of `folders`. With `cheap` without those that are too dear for a first look. What could not be
/// read is set aside.
[[nodiscard]] Corpus open_corpora(const CaseOptions& options,
                                  std::vector<std::filesystem::path> folders, bool cheap);

/// Names the files that could not be read on stderr and counts them; with `skip` that is all that
/// becomes of them.
void set_aside(Corpus& corpus, bool skip);

/// Fails before the campaign, not after it, when findings or reports could not be written.
void need_outputs(const CaseOptions& options);

/// Prints the report and writes its files; what went wrong joins its troubles.
void put_out(Report& report, const CaseOptions& options);

}  // namespace qkvet::cli
