// `qkvet check`: a campaign, its report on stdout and in files, its exit code.
#include <fmt/format.h>

#include <qkvet/campaign/campaign.hpp>

#include "cli/cases.hpp"
#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"

namespace qkvet::cli {
namespace {

Profile open_profile(const std::string& name) {
  if (const Profile* profile = profile_named(name)) return *profile;
  throw InputError(
      ExitCode::usage,
      fmt::format("--profile '{}': there are smoke and ci (`qkvet list profiles`)", name));
}

CampaignOptions campaign_options(const Check& options) {
  CampaignOptions campaign = drawn_cases(options);
  campaign.profile = open_profile(options.profile);
  campaign.cases = options.cases;
  campaign.corpus = open_corpora(options, {options.corpora.begin(), options.corpora.end()},
                                 options.profile == "smoke");
  return campaign;
}

}  // namespace

int run(const Check& options) {
  CampaignOptions campaign = campaign_options(options);
  need_outputs(options);
  const std::unique_ptr<Candidate> plain = use_criteria(campaign, options.criteria);
  const std::unique_ptr<Candidate> candidate = open_candidate(options.candidate);
  choose_formats(campaign, options, *candidate);
  ProgressLine line;
  campaign.stopped = [] { return signal_seen() != 0; };
  campaign.progress = [&](const Progress& progress) { line.show(progress); };
  Report report = run_campaign(*candidate, campaign);
  line.clear();
  put_out(report, options);
  if (report.interrupted) return 128 + signal_seen();
  return static_cast<int>(exit_code(report));
}

}  // namespace qkvet::cli
