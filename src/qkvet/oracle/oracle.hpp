// Three oracles for one row of one problem, and their comparison. They share no code with kernels,
// and the Arb oracle shares none with the other two: each reads masks, heads and layouts by itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <qkvet/contract/contract.hpp>
#include <qkvet/oracle/enclosure.hpp>
#include <qkvet/problem/problem.hpp>
#include <string>
#include <vector>

namespace qkvet {

enum class Rung : std::uint8_t {
  first,       ///< plain double with its own a-priori bound: cheap; nothing fails on it
  arb,         ///< Arb balls: decides
  definition,  ///< the definition on balls over MPFR: cross-checks Arb
};

/// Encloses rows of one problem; keeps the decoded keys and values of the head that was asked last,
/// so ask rows in order (b, h, i). Every interval of the answer holds the exact value: earned, not
/// hoped for. The floating-point environment is set to the default during each call and restored
/// after it. Requires: `problem` outlives the encloser.
class RowEncloser {
 public:
  RowEncloser(const Problem& problem, const Semantics& semantics, Rung rung);
  ~RowEncloser();
  RowEncloser(RowEncloser&&) noexcept;
  RowEncloser& operator=(RowEncloser&&) noexcept;

  [[nodiscard]] RowEnclosure row(std::int64_t b, std::int64_t h, std::int64_t i);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// One row alone: `RowEncloser(problem, semantics, rung).row(b, h, i)`. Slower per row than an
/// encloser.
[[nodiscard]] RowEnclosure enclose_row(const Problem& problem, const Semantics& semantics,
                                       Rung rung, std::int64_t b, std::int64_t h, std::int64_t i);

/// Compares Arb with the definition on every row, output, LSE, score and weight: absent if all
/// enclosures intersect and all classes agree, else a description of the first disagreement (exit
/// 70).
[[nodiscard]] std::optional<std::string> cross_check(const Problem& problem,
                                                     const Semantics& semantics);

/// The exact outputs of a row (o[0..d_v), then the LSE, natural base, sink included) as decimal
/// text, correctly rounded to `digits` significant digits, trailing zeros dropped. The precision is
/// raised until the enclosure decides them; a decimal tie, which no enclosure decides, gets the
/// digits that are certain. "undefined" where inputs are not finite, "-inf" for the LSE of an empty
/// row.
[[nodiscard]] std::vector<std::string> decimal_row(const Problem& problem,
                                                   const Semantics& semantics, std::int64_t b,
                                                   std::int64_t h, std::int64_t i, int digits);

}  // namespace qkvet
