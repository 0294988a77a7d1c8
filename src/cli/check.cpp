// `qkvet check`: a campaign, its report on stdout and in files, its exit code.
#include <fmt/format.h>

#include <iterator>
#include <qkvet/campaign/campaign.hpp>

#include "cli/cases.hpp"
#include "cli/commands.hpp"
#include "cli/paths.hpp"
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

/// The cases that come with qkvet, then the user's; in a first look without the dear ones.
Corpus open_corpora(const Check& options) {
  std::vector<std::filesystem::path> folders(options.corpora.begin(), options.corpora.end());
  if (!options.no_corpus) folders.insert(folders.begin(), corpus_folder());
  Corpus all = read_corpora(folders);
  if (options.profile == "smoke") std::erase_if(all.cases, is_dear);
  set_aside(all, options.skip_bad);
  return all;
}

CampaignOptions campaign_options(const Check& options) {
  CampaignOptions campaign = drawn_cases(options);
  campaign.profile = open_profile(options.profile);
  campaign.cases = options.cases;
  campaign.corpus = open_corpora(options);
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
