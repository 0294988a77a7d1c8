// `qkvet list`: what there is, one line each.
#include <fmt/format.h>

#include <filesystem>
#include <qkvet/campaign/profiles.hpp>
#include <qkvet/candidate/presets.hpp>
#include <qkvet/check/criteria.hpp>
#include <qkvet/contract/contract.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/draw.hpp>

#include "cli/commands.hpp"
#include "cli/coverage.hpp"
#include "cli/paths.hpp"
#include "cli/session.hpp"
#include "properties/registry.hpp"

namespace qkvet::cli {
namespace {

void line(std::string_view name, std::string_view words) { fmt::print("{:<28} {}\n", name, words); }

void list_contracts() {
  for (const Contract& contract : builtin_contracts()) {
    line(fmt::format("{}/{}", contract.name, contract.version),
         fmt::format("for {} tensors, digest {}", info(contract.format).name, digest(contract)));
  }
}

/// The canonical text, which --contract reads back from a file.
void show_contract(const std::string& name) {
  const ContractSet set = open_contracts(name);
  for (const Contract& contract : set.contracts) fmt::print("{}", write_contract(contract));
}

void list_presets() {
  const std::filesystem::path share = presets_folder().parent_path();
  for (const std::string& name : preset_names(share)) {
    const Preset preset = read_preset(name, share);
    line(name, preset.description);
    line("", preset.signature);
    for (const PresetSwitch& one : preset.switches) {
      line(fmt::format("  {}", one.name), one.value);
      line("", fmt::format("source: {}", one.source));
    }
  }
}

void list_kernels() {
  for (const std::string_view name : builtin_kernel_names()) {
    line(fmt::format("builtin:{}", name), fmt::format("version {}", builtin_kernel(name)->version));
  }
}

}  // namespace

int run(const List& options) {
  if (!options.name.empty() && options.what != "contracts") {
    throw InputError(ExitCode::usage, fmt::format("list {} '{}': only contracts are shown by name",
                                                  options.what, options.name));
  }
  if (options.what == "props") {
    for (const Property& property : all_properties()) line(property.name, property.statement);
  } else if (options.what == "kernels") {
    list_kernels();
  } else if (options.what == "contracts") {
    options.name.empty() ? list_contracts() : show_contract(options.name);
  } else if (options.what == "criteria") {
    for (const Criterion& criterion : criteria()) {
      line(criterion.name, criterion.statement);
      line("", fmt::format("source: {}", criterion.source));
    }
  } else if (options.what == "presets") {
    list_presets();
  } else if (options.what == "profiles") {
    for (const Profile& profile : profiles()) {
      line(profile.name,
           fmt::format("{} cases of matches-reference, {} of each other property, at most {} "
                       "multiply-adds each: {}",
                       profile.matches_reference, profile.other, profile.work_budget,
                       profile.purpose));
    }
  } else if (options.what == "coverage") {
    list_coverage(options);
  } else {
    for (const Stratum& stratum : strata()) line(stratum.name, stratum.reason);
  }
  return static_cast<int>(ExitCode::holds);
}

}  // namespace qkvet::cli
