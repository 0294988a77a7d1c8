#include "cli/session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/campaign/store.hpp>
#include <qkvet/check/criteria.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/num/error.hpp>
#include <sstream>

#include "properties/registry.hpp"

namespace qkvet::cli {
namespace {

template <typename Items, typename Name>
std::string names_of(const Items& items, Name name) {
  std::vector<std::string> names;
  for (const auto& item : items) names.emplace_back(name(item));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// A bare name as the path that the shell would run: the worker's own PATH is another one, and
/// Python finds its modules by the path it was started with.
std::string interpreter(const std::string& name) {
  const char* path = std::getenv("PATH");
  if (name.find('/') != name.npos || path == nullptr) return name;
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string file = folder + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return name;
}

/// A source file where a candidate was expected: says how to hand it over.
void refuse_source(const std::string& spec) {
  const std::string file = spec.substr(0, spec.find(':'));
  const auto refuse = [&](const std::string& hint) {
    throw InputError(ExitCode::candidate_unusable, fmt::format("candidate '{}': {}", spec, hint));
  };
  if (file.ends_with(".py")) {
    refuse(fmt::format("a Python function is given as py:FILE.py:FUNCTION, here py:{}:{}", file,
                       file.size() == spec.size() ? "FUNCTION" : spec.substr(file.size() + 1)));
  }
  for (const std::string_view ending : {".c", ".cc", ".cpp", ".cxx"}) {
    if (!file.ends_with(ending)) continue;
    refuse("a source file; compile it to a shared library first (`qkvet new c` prints how)");
  }
}

}  // namespace

std::unique_ptr<Candidate> open_candidate(const CandidateOptions& options) {
  constexpr std::string_view prefix = "builtin:";
  if (options.spec.starts_with(prefix)) {
    const std::string name = options.spec.substr(prefix.size());
    if (const qkvet_candidate* table = builtin_kernel(name)) return in_process(*table);
    throw InputError(ExitCode::candidate_unusable,
                     fmt::format("candidate '{}': no such built-in kernel; there are {}",
                                 options.spec, fmt::join(builtin_kernel_names(), ", ")));
  }
  refuse_source(options.spec);
  WorkerOptions worker;
  worker.python = interpreter(options.python.value_or("python3"));
  if (options.like) worker.preset = *options.like;
  if (options.tensors) worker.tensors = *options.tensors;
  worker.pass_environment = options.env;
  worker.call_timeout_s = options.call_timeout_s;
  worker.load_timeout_s = options.load_timeout_s;
  return in_worker(options.spec, worker);
}

ContractSet open_contracts(const std::string& name_or_file) {
  for (const Contract& contract : builtin_contracts()) {
    const std::string full = fmt::format("{}/{}", contract.name, contract.version);
    if (name_or_file == contract.name || name_or_file == full) return {{contract}};
  }
  std::error_code ignored;
  if (!std::filesystem::exists(name_or_file, ignored)) {
    throw InputError(
        ExitCode::missing_input,
        fmt::format("--contract '{}': neither a file nor a built-in contract; those are {}",
                    name_or_file,
                    names_of(builtin_contracts(), [](const Contract& c) { return c.name; })));
  }
  return read_contracts(read_file(name_or_file, std::size_t{1} << 20), name_or_file);
}

std::optional<ContractSet> open_contracts(const std::optional<std::string>& name_or_file) {
  if (!name_or_file) return std::nullopt;
  return open_contracts(*name_or_file);
}

void need_format(const std::optional<ContractSet>& contracts, const std::vector<Format>& formats,
                 std::string_view whose) {
  if (!contracts) return;
  const auto spoken_of = [&](const Contract& contract) {
    return std::find(formats.begin(), formats.end(), contract.format) != formats.end();
  };
  const std::vector<Contract>& given = contracts->contracts;
  if (std::any_of(given.begin(), given.end(), spoken_of)) return;
  throw InputError(
      ExitCode::usage,
      fmt::format("--contract: contract {} is for {}; {} {}",
                  names_of(given, [](const Contract& c) { return c.name; }),
                  names_of(given, [](const Contract& c) { return info(c.format).name; }), whose,
                  names_of(formats, [](Format f) { return info(f).name; })));
}

Contract contract_at(Format format, const std::optional<std::string>& name_or_file) {
  const std::optional<ContractSet> contracts = open_contracts(name_or_file);
  need_format(contracts, {format}, "these inputs are");
  return contracts.value_or(ContractSet{}).at(format);
}

Counterexample open_case(const std::string& text_or_file) {
  if (text_or_file.starts_with("qk1:")) return read_counterexample(text_or_file, "case");
  std::error_code ignored;
  if (!std::filesystem::exists(text_or_file, ignored)) {
    throw InputError(
        ExitCode::missing_input,
        fmt::format("case '{}': no such file, and no case text (that begins with qk1:)",
                    text_or_file));
  }
  return read_counterexample(read_file(text_or_file), text_or_file);
}

std::vector<const Property*> open_properties(const std::vector<std::string>& names) {
  std::vector<const Property*> properties;
  for (const Property& property : all_properties()) {
    if (names.empty()) properties.push_back(&property);
  }
  for (const std::string& name : names) {
    const Property* property = property_named(name);
    if (property == nullptr) {
      throw InputError(
          ExitCode::usage,
          fmt::format("--prop '{}': no such property; there are {}", name,
                      names_of(all_properties(), [](const Property& p) { return p.name; })));
    }
    properties.push_back(property);
  }
  return properties;
}

void need_criterion(const CriteriaOptions& options) {
  if (options.gate.empty() || criterion_named(options.gate) != nullptr) return;
  throw InputError(ExitCode::usage,
                   fmt::format("--criterion '{}': no such criterion; there are {}", options.gate,
                               names_of(criteria(), [](const Criterion& c) { return c.name; })));
}

std::unique_ptr<Candidate> plain_implementation() { return in_process(*builtin_kernel("naive")); }

std::string repro_flags(const CandidateOptions& options) {
  std::string flags;
  const auto add = [&](std::string_view option, const std::optional<std::string>& value) {
    if (value) flags += fmt::format(" {} {}", option, shell_quoted(*value));
  };
  add("--contract", options.contract);
  add("--like", options.like);
  add("--python", options.python);
  add("--tensors", options.tensors);
  for (const std::string& name : options.env) add("--env", name);
  return flags;
}

}  // namespace qkvet::cli
