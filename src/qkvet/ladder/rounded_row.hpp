// What the ladder answers for one row: encodings, and who proved them.
#pragma once

#include <cstdint>
#include <qkvet/num/format.hpp>
#include <qkvet/oracle/enclosure.hpp>
#include <vector>

namespace qkvet {

/// Which rung decided a value. docs/ladder.md 1.
enum class Step : std::uint8_t {
  first,        ///< double, error bound per row and column maximum
  sharp,        ///< the same numbers, error bound summed for the column
  compensated,  ///< dot products and sums with their rounding errors carried along
  exact,        ///< a rational number, an empty row, or a column of zeros
  arb,          ///< balls of 128 to 8192 bits
  undecided,    ///< not even 8192 bits: both neighbours are given
  undefined,    ///< made of NaN or infinity by data
};
inline constexpr std::size_t steps = 7;

/// A value rounded once to a format, to nearest, ties to even. `bits` and `above` are equal unless
/// the step is `undecided`; then the exact value rounds to one of the two or to one between them.
struct Rounded {
  std::uint64_t bits = 0, above = 0;
  Step step = Step::undefined;
};

struct RoundedRow {
  RowClass row_class = RowClass::live;
  std::vector<Rounded> o;        ///< d_v outputs
  Rounded lse;                   ///< natural base, sink included; -inf for an empty row
  std::vector<Rounded> weights;  ///< S softmax weights (hidden keys: 0), if they were asked for
};

}  // namespace qkvet
