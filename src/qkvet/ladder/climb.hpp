// The upper rungs: exact cases and balls of up to 8192 bits, for values that double left open.
#pragma once

#include <cstdint>
#include <memory>
#include <qkvet/contract/contract.hpp>
#include <qkvet/ladder/rounded_row.hpp>
#include <qkvet/oracle/arb.hpp>
#include <qkvet/problem/problem.hpp>
#include <span>
#include <vector>

namespace qkvet::ladder {

class Climb {
 public:
  Climb(const Problem& problem, const Semantics& semantics, Format format);

  /// Decides the values `wanted` (numbered as in ArbRung::rounded) of a live row; answers in the
  /// same order. docs/ladder.md 7, 8
  [[nodiscard]] std::vector<Rounded> decide(std::int64_t b, std::int64_t h, std::int64_t i,
                                            std::span<const std::int64_t> wanted);

 private:
  const Problem& problem_;
  const Semantics& semantics_;
  Format format_;
  ArbRung arb_;
};

}  // namespace qkvet::ladder
