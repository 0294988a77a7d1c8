// The definition rung: attention.hpp on balls over MPFR, the second opinion on what Arb says.
#pragma once

#include <cstdint>
#include <optional>
#include <qkvet/contract/contract.hpp>
#include <qkvet/oracle/enclosure.hpp>
#include <qkvet/oracle/facts.hpp>
#include <qkvet/oracle/sabotage.hpp>
#include <qkvet/problem/problem.hpp>

namespace qkvet {

class DefinitionRung {
 public:
  /// Digits of the midpoints. `adaptive`: 50, and 1300 where 50 do not decide (a product of three
  /// doubles is below 10^925). `coarse` (21 bits) is for tests: its balls are wide, but must hold
  /// the truth.
  enum class Digits : std::uint8_t { adaptive, coarse };

  DefinitionRung(const Problem& problem, const Semantics& semantics,
                 Digits digits = Digits::adaptive, const Sabotage* sabotage = nullptr);

  [[nodiscard]] RowEnclosure row(std::int64_t b, std::int64_t h, std::int64_t i);

 private:
  const Problem* problem_;
  std::optional<Problem> misread_;  ///< stands in for *problem_ under a sabotaged reading
  Semantics semantics_;
  Digits digits_;
  const Sabotage* sabotage_;
  std::int64_t b_ = -1, kv_head_ = -1;
  HeadFacts facts_;
};

/// The problem as an oracle with the given fault in its reading of masks, biases or heads would see
/// it.
[[nodiscard]] Problem misread(const Problem& problem, const Sabotage& sabotage);

}  // namespace qkvet
