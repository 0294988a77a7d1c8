// What a contract promises, in words.
#pragma once

#include <qkvet/contract/contract.hpp>
#include <string>

namespace qkvet::cli {

/// A few lines a person reads: inputs, scores, weights, sums, outputs, conventions, promises, limits.
/// Each word of the contract that changes what is admitted is said.
[[nodiscard]] std::string contract_in_words(const Contract& contract);

}  // namespace qkvet::cli
