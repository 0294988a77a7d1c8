// `qkvet check`: a campaign, its report on stdout and in files, its exit code.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/campaign/store.hpp>
#include <qkvet/report/writers.hpp>

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

Corpus open_corpora(const Check& options) {
  Corpus all;
  for (const std::string& folder : options.corpora) {
    Corpus corpus = read_corpus(folder);
    std::move(corpus.cases.begin(), corpus.cases.end(), std::back_inserter(all.cases));
    std::move(corpus.bad.begin(), corpus.bad.end(), std::back_inserter(all.bad));
  }
  for (const Trouble& bad : all.bad) {
    fmt::print(stderr, "qkvet: corpus file set aside: {}\n", printable(bad.message));
  }
  if (options.skip_bad) all.bad.clear();
  return all;
}

/// Fails before the campaign, not after it, when a report could not be written.
void try_to_create(const std::optional<std::string>& path) {
  std::error_code ignored;
  if (path && !std::filesystem::exists(*path, ignored)) write_durably(*path, "");
}

CampaignOptions campaign_options(const Check& options) {
  CampaignOptions campaign;
  campaign.profile = open_profile(options.profile);
  campaign.cases = options.cases;
  campaign.seed = options.seed;
  if (!options.formats.empty()) campaign.domain.formats = options.formats;
  for (const std::string& where : options.where) campaign.domain = narrow(campaign.domain, where);
  campaign.contracts = open_contracts(options.candidate.contract);
  need_format(campaign.contracts, campaign.domain.formats, "what is to be drawn is");
  campaign.properties = open_properties(options.properties);
  campaign.selected = !options.properties.empty();
  campaign.stop_first = options.stop_first;
  campaign.corpus = open_corpora(options);
  campaign.out = options.out;
  campaign.candidate = options.candidate.spec;
  campaign.command = options.command;
  campaign.repro_flags = repro_flags(options.candidate);
  return campaign;
}

/// A contract that was given speaks of its formats only: the others are not drawn under another
/// one.
void keep_contract_formats(CampaignOptions& campaign, const Candidate& candidate) {
  if (!campaign.contracts) return;
  std::vector<Format> taken;
  for (const Format format : drawn_formats()) {
    const Terms terms = terms_for(format, candidate, std::nullopt, Domain{});
    if (!terms.domain.formats.empty()) taken.push_back(format);
  }
  need_format(campaign.contracts, taken, "the candidate takes");
  std::erase_if(campaign.domain.formats, [&](Format format) {
    const std::vector<Contract>& given = campaign.contracts->contracts;
    return std::none_of(given.begin(), given.end(),
                        [&](const Contract& contract) { return contract.format == format; });
  });
}

/// Fails before the campaign if no finding could be saved; makes nothing, for there may be none.
void need_place_for(const std::filesystem::path& out) {
  std::error_code ignored;
  std::filesystem::path there = std::filesystem::absolute(out, ignored);
  while (!std::filesystem::exists(there, ignored) && there.has_relative_path()) {
    there = there.parent_path();
  }
  if (std::filesystem::is_directory(there, ignored) && access(there.c_str(), W_OK | X_OK) == 0) {
    return;
  }
  throw InputError(ExitCode::cannot_create,
                   fmt::format("--out '{}': {} is not a folder that can be written to",
                               out.string(), there.string()));
}

/// Writes one file of the report; what went wrong joins the report's troubles.
void write_file(Report& report, const std::optional<std::string>& path, const std::string& text) {
  if (!path) return;
  try {
    write_durably(*path, text);
  } catch (const InputError& error) {
    report.troubles.push_back({error.code(), error.what()});
    fmt::print(stderr, "qkvet: {}\n", printable(error.what()));
  }
}

}  // namespace

int run(const Check& options) {
  CampaignOptions campaign = campaign_options(options);
  need_place_for(campaign.out);
  try_to_create(options.json);
  try_to_create(options.junit);
  const std::unique_ptr<Candidate> candidate = open_candidate(options.candidate);
  keep_contract_formats(campaign, *candidate);
  ProgressLine line;
  campaign.stopped = [] { return signal_seen() != 0; };
  campaign.progress = [&](const Progress& progress) { line.show(progress); };
  Report report = run_campaign(*candidate, campaign);
  line.clear();
  report.strict = options.strict;
  fmt::print("{}", write_text(report));
  write_file(report, options.json, write_json(report));
  write_file(report, options.junit, write_junit(report));
  if (report.interrupted) return 128 + signal_seen();
  return static_cast<int>(exit_code(report));
}

}  // namespace qkvet::cli
