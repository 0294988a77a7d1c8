#include "cli/cases.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <qkvet/campaign/store.hpp>
#include <qkvet/report/writers.hpp>

#include "cli/session.hpp"

namespace qkvet::cli {
namespace {

void try_to_create(const std::optional<std::string>& path) {
  std::error_code ignored;
  if (path && !std::filesystem::exists(*path, ignored)) write_durably(*path, "");
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
  if (!options.formats.empty()) campaign.domain.formats = options.formats;
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
