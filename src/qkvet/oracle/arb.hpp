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
#include <span>
#include <string>
#include <vector>

namespace qkvet {

/// The encodings to which the two ends of a ball round; equal if that decides the value.
struct RoundedBall {
  std::uint64_t low = 0, high = 0;
  bool decided = false;
};

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

  /// Values of a live row, rounded once to `format` from balls of `precision` bits. `wanted`: d <
  /// d_v for an output, d_v for the log-sum-exp, d_v + 1 + j for the weight of entry j of the trace.
  [[nodiscard]] std::vector<RoundedBall> rounded(std::int64_t b, std::int64_t h, std::int64_t i,
                                                 Format format,
                                                 std::span<const std::int64_t> wanted,
                                                 int precision);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace qkvet
