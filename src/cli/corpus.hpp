// The actions of `qkvet corpus`, one source each.
#pragma once

#include <filesystem>
#include <qkvet/campaign/corpus.hpp>
#include <qkvet/problem/domain.hpp>
#include <string>
#include <vector>

#include "cli/options.hpp"

namespace qkvet::cli {

[[nodiscard]] int convert_corpus(const CorpusTool& options);
[[nodiscard]] int import_corpus(const CorpusTool& options);
[[nodiscard]] int minimise_corpus(const CorpusTool& options);

/// The case that a fuzz input means. Choices mean nothing without a domain: InputError(usage) if
/// `where` is absent and the bytes are no case text.
[[nodiscard]] Problem case_in_bytes(const std::string& bytes, const std::string& source,
                                    const std::optional<std::string>& where);

/// The regular files of a folder and those below it, sorted by path; InputError(missing_input) if
/// it cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder);

/// Makes a folder; InputError(cannot_create) if that fails.
void make_folder(const std::filesystem::path& folder);

/// The exit code after files were set aside: bad_data if any, unless they are skipped.
[[nodiscard]] int after_bad(const std::vector<Trouble>& bad);

}  // namespace qkvet::cli
