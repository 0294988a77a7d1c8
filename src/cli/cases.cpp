#include "cli/cases.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <qkvet/campaign/store.hpp>
#include <qkvet/check/criteria.hpp>
#include <qkvet/report/writers.hpp>

#include "cli/paths.hpp"
#include "cli/session.hpp"

namespace qkvet::cli {
namespace {

/// Leaves nothing: if the candidate cannot be used there is no report, and an empty file would look
/// like one.
void try_to_create(const std::optional<std::string>& path) {
  std::error_code ignored;
  if (!path || std::filesystem::exists(*path, ignored)) return;
  write_durably(*path, "");
  std::filesystem::remove(*path, ignored);
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

CampaignOptions drawn_cases(const CaseOptions& options) {
  CampaignOptions campaign;
  campaign.seed = options.seed;
  campaign.domain.formats = options.formats.empty() ? all_formats() : options.formats;
  for (const std::string& where : options.where) campaign.domain = narrow(campaign.domain, where);
  campaign.contracts = open_contracts(options.candidate.contract);
  need_format(campaign.contracts, campaign.domain.formats, "what is to be drawn is");
  campaign.properties = open_properties(options.properties);
  campaign.selected = !options.properties.empty();
  campaign.stop_first = options.stop_first;
  campaign.out = options.out;
  campaign.candidate = options.candidate.spec;
  campaign.command = options.command;
  campaign.repro_flags = repro_flags(options.candidate);
  return campaign;
}

std::unique_ptr<Candidate> use_criteria(CampaignOptions& campaign,
                                        const CriteriaOptions& options) {
  need_criterion(options);
  if (!options.wanted()) return nullptr;
  std::unique_ptr<Candidate> plain = plain_implementation();
  campaign.criteria = true;
  campaign.twin = plain.get();
  if (options.gate != criteria().front().name) campaign.criterion = options.gate;
  return plain;
}

void choose_formats(CampaignOptions& campaign, const CaseOptions& options,
                    const Candidate& candidate) {
  Domain& domain = campaign.domain;
  const bool named = !options.formats.empty() || domain.formats != all_formats();
  const std::vector<Format> taken = taken_formats(candidate, std::nullopt, domain);
  if (taken.empty()) {
    std::vector<std::string_view> names;
    for (const Format format : domain.formats) names.push_back(info(format).name);
    throw InputError(ExitCode::usage,
                     fmt::format("--dtype: of {} the candidate takes none by its limits",
                                 fmt::join(names, ", ")));
  }
  need_format(campaign.contracts, taken, "the candidate takes");
  const auto spoken_of = [&](Format format) {
    const std::vector<Contract>& given = campaign.contracts->contracts;
    return std::any_of(given.begin(), given.end(),
                       [&](const Contract& contract) { return contract.format == format; });
  };
  domain.formats = named ? taken : usual_formats(candidate, campaign.contracts, domain);
  if (campaign.contracts) std::erase_if(domain.formats, [&](Format f) { return !spoken_of(f); });
}

void set_aside(Corpus& corpus, bool skip) {
  for (const Trouble& bad : corpus.bad) {
    fmt::print(stderr, "qkvet: corpus file set aside: {}\n", printable(bad.message));
  }
  if (!corpus.bad.empty()) {
    fmt::print(stderr, "qkvet: {} corpus files set aside, {} read\n", corpus.bad.size(),
               corpus.cases.size());
  }
  if (skip) corpus.bad.clear();
}

Corpus open_corpora(const CaseOptions& options, std::vector<std::filesystem::path> folders,
                    bool cheap) {
  if (!options.no_corpus) folders.insert(folders.begin(), corpus_folder());
  Corpus all = read_corpora(folders);
  if (cheap) std::erase_if(all.cases, is_dear);
  set_aside(all, options.skip_bad);
  return all;
}

void need_outputs(const CaseOptions& options) {
  need_place_for(options.out);
  try_to_create(options.json);
  try_to_create(options.junit);
}

void put_out(Report& report, const CaseOptions& options) {
  report.strict = options.strict;
  fmt::print("{}", write_text(report));
  write_file(report, options.json, write_json(report));
  write_file(report, options.junit, write_junit(report));
}

}  // namespace qkvet::cli
