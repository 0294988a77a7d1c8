// From option values to the things they name: candidates, contracts, cases, properties.
#pragma once

#include <memory>
#include <optional>
#include <qkvet/campaign/counterexample.hpp>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/check/property.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"

namespace qkvet::cli {

/// Built-in kernels run in this process, all else in a worker.
[[nodiscard]] std::unique_ptr<Candidate> open_candidate(const CandidateOptions& options);

/// A name of `list contracts` ("f32-any" or "f32-any/1") or a file.
[[nodiscard]] ContractSet open_contracts(const std::string& name_or_file);
[[nodiscard]] std::optional<ContractSet> open_contracts(
    const std::optional<std::string>& name_or_file);

/// Throws InputError(usage) if contracts are given and none of them speaks of one of `formats`;
/// `whose` leads to the formats: "these inputs are".
void need_format(const std::optional<ContractSet>& contracts, const std::vector<Format>& formats,
                 std::string_view whose);

/// The contract of a format: the user's, else the loosest.
[[nodiscard]] Contract contract_at(Format format, const std::optional<std::string>& name_or_file);

/// `qk1:` text or a file that holds it.
[[nodiscard]] Counterexample open_case(const std::string& text_or_file);

/// The named properties; all of them if `names` is empty.
[[nodiscard]] std::vector<const Property*> open_properties(const std::vector<std::string>& names);

/// Throws InputError(usage) if --criterion names none.
void need_criterion(const CriteriaOptions& options);

/// The plain implementation with which some criteria compare.
[[nodiscard]] std::unique_ptr<Candidate> plain_implementation();

/// The options that a repro line needs besides case, candidate and property, each after a space.
[[nodiscard]] std::string repro_flags(const CandidateOptions& options);

}  // namespace qkvet::cli
