// The seam between the reader and the contracts that come with qkvet: those are read by the same
// reader, which must not ask for them while they are being read.
#pragma once

#include <optional>
#include <qkvet/contract/contract.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qkvet::detail {

/// A file of contracts/, embedded at build time.
struct EmbeddedContract {
  std::string_view file, text;
};
/// All of them, ordered by name: a base comes before what stands on it.
[[nodiscard]] std::span<const EmbeddedContract> embedded_contracts();

/// Reads contracts whose bases are among `known` or earlier in the text.
[[nodiscard]] ContractSet read_contracts_with(std::string_view text, std::string_view source,
                                              std::span<const Contract> known);

/// Two fields that exclude each other.
struct Contradiction {
  std::vector<std::string> fields;
  std::string values, why;  ///< "merge = lse and merge_levels = 0"
};
[[nodiscard]] std::optional<Contradiction> contradiction_in(const Contract& contract);

/// A contract whose limits name no formats takes those of its own.
void take_own_format(Contract& contract);

/// Is it the `<format>-any` contract, at which nothing is declared?
[[nodiscard]] bool is_loosest(const Contract& contract);

/// Fills `assumed_fields` with every field whose "section.field" is not among `declared`.
void list_assumed(Contract& contract, const std::set<std::string>& declared);

}  // namespace qkvet::detail
