// Where the parts of an installation are: all relative to the running executable.
#pragma once

#include <filesystem>

namespace qkvet {

/// The folder of the running executable.
[[nodiscard]] std::filesystem::path executable_directory();

/// PREFIX/share/qkvet, next to the folder of the executable (or of `beside`, if given): the Python
/// runner and the presets.
[[nodiscard]] std::filesystem::path share_directory(const std::filesystem::path& beside = {});

}  // namespace qkvet
