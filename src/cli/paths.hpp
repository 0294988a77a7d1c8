// Where things of qkvet lie: beside an installed binary, else in the source tree it was built from.
#pragma once

#include <filesystem>

namespace qkvet::cli {

/// Folder of the running binary.
[[nodiscard]] std::filesystem::path binary_folder();
/// Folder that holds qkvet/candidate/kernel.h.
[[nodiscard]] std::filesystem::path include_folder();
/// Folder of the signature presets.
[[nodiscard]] std::filesystem::path presets_folder();
/// Folder of the cases that `check` replays first.
[[nodiscard]] std::filesystem::path corpus_folder();

}  // namespace qkvet::cli
