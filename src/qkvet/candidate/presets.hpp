// Presets: how a Python function of a known signature is called, and what its vendor documents.
// Data files in presets/; `--like` names one, or a file of the user's.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace qkvet {

/// One switch of docs/abi.md (section Presets): what is documented, and where.
struct PresetSwitch {
  std::string name, value, source;
};

struct Preset {
  std::string name, description, signature;
  std::string contract;  ///< contract text: semantics and limits
  std::vector<PresetSwitch> switches;
  std::filesystem::path file;
};

/// Names of the presets that come with qkvet, sorted.
[[nodiscard]] std::vector<std::string> preset_names(const std::filesystem::path& share);

/// Reads a preset by name or, if `name` has a slash or ends in .json, from a file. Throws
/// InputError (usage for an unknown name, bad_data for a malformed file).
[[nodiscard]] Preset read_preset(std::string_view name, const std::filesystem::path& share);

}  // namespace qkvet
