// The Arb rung: every number is a ball of arbitrary precision, so the answer encloses the exact
// value by construction. It decides verdicts. It shares no code with the definition (docs/oracle.md
// 3).
#pragma once

#include <cstdint>
#include <memory>
#include <qkvet/contract/contract.hpp>
#include <qkvet/oracle/enclosure.hpp>
#include <qkvet/oracle/sabotage.hpp>
#include <qkvet/problem/problem.hpp>
#include <string>
#include <vector>

namespace qkvet {

class ArbRung {
 public:
  ArbRung(const Problem& problem, const Semantics& semantics, const Sabotage* sabotage = nullptr);
  ~ArbRung();
  ArbRung(ArbRung&&) noexcept;
  ArbRung& operator=(ArbRung&&) noexcept;

  [[nodiscard]] RowEnclosure row(std::int64_t b, std::int64_t h, std::int64_t i);

  /// Outputs, then the log-sum-exp, as decimal text: see decimal_row.
  [[nodiscard]] std::vector<std::string> decimals(std::int64_t b, std::int64_t h, std::int64_t i,
                                                  int digits);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace qkvet
