#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <qkvet/candidate/presets.hpp>
#include <qkvet/num/error.hpp>

namespace qkvet {
namespace {

using nlohmann::json;

[[noreturn]] void bad(const std::filesystem::path& file, const std::string& what) {
  throw InputError(ExitCode::bad_data,
                   fmt::format("{}: {}; hint: see docs/abi.md, Presets", file.string(), what));
}

// A member that must be text, or an array of lines.
std::string text(const json& object, const char* key, const std::filesystem::path& file) {
  const auto at = object.find(key);
  if (at == object.end()) bad(file, fmt::format("field '{}' is missing", key));
  if (at->is_string()) return at->get<std::string>();
  if (!at->is_array())
    bad(file, fmt::format("field '{}' is neither text nor an array of lines", key));
  std::string lines;
  for (const json& line : *at) {
    if (!line.is_string()) bad(file, fmt::format("field '{}' has a line that is no text", key));
    lines += line.get<std::string>() + "\n";
  }
  return lines;
}

json parse(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw InputError(ExitCode::missing_input, file.string() + ": cannot be read");
  try {
    json object = json::parse(in);
    if (!object.is_object()) bad(file, "is no JSON object");
    return object;
  } catch (const json::exception& error) {
    bad(file, error.what());
  }
}

}  // namespace

std::vector<std::string> preset_names(const std::filesystem::path& share) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(share / "presets", error)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Preset read_preset(std::string_view name, const std::filesystem::path& share) {
  const bool is_file = name.find('/') != std::string_view::npos || name.ends_with(".json");
  Preset preset;
  preset.file =
      is_file ? std::filesystem::path(name) : share / "presets" / (std::string(name) + ".json");
  std::error_code error;
  if (!is_file && !std::filesystem::exists(preset.file, error)) {
    const std::vector<std::string> known = preset_names(share);
    throw InputError(ExitCode::usage,
                     fmt::format("--like: there is no preset '{}'; known: {}", name,
                                 known.empty() ? "none in " + (share / "presets").string()
                                               : fmt::format("{}", fmt::join(known, ", "))));
  }
  const json object = parse(preset.file);
  preset.name = text(object, "name", preset.file);
  preset.description = text(object, "description", preset.file);
  preset.signature = text(object, "signature", preset.file);
  preset.contract = text(object, "contract", preset.file);
  for (const json& entry : object.value("switches", json::array())) {
    if (!entry.is_object()) bad(preset.file, "field 'switches' has an entry that is no object");
    preset.switches.push_back({text(entry, "name", preset.file), text(entry, "value", preset.file),
                               text(entry, "source", preset.file)});
  }
  return preset;
}

}  // namespace qkvet
