// The letters of docs/bounds.md that the screen needs, kept from case to case: a fuzzer meets the
// same few contracts and extents a million times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <qkvet/bound/letters.hpp>
#include <qkvet/contract/arithmetic.hpp>
#include <qkvet/problem/tensor.hpp>
#include <vector>

namespace qkvet::fuzz {

/// Letters of a whole case: they depend on its contract and on d_k.
struct CaseLetters {
  bool known = false;
  double dot = 0, exp = 0, argument = 0, round = 0;  ///< of the score and the exponent
  double unit = 0, log = 0, divide = 0, store = 0, store_lse = 0;
  double omega = 0, eta = 0;
};

/// The least of nu and mu of a row: they depend on S and on the number of visible keys, the sink
/// included.
struct SumLetters {
  double nu = -1, mu = 0;  ///< nu < 0: not yet known
};

class LetterTable {
 public:
  /// Letters of a case; valid until the next call.
  [[nodiscard]] const CaseLetters& of_case(const Arithmetic& words, const Shape& shape);
  /// Letters of a row with n visible keys, of the case that was asked for last.
  [[nodiscard]] SumLetters of_row(const Arithmetic& words, const Shape& shape, std::int64_t n);

 private:
  using Raw = std::array<std::byte, sizeof(Arithmetic)>;
  struct Entry {
    Raw words;  ///< the same bytes are the same words
    std::vector<CaseLetters> by_d_k;
    std::vector<std::vector<SumLetters>> by_S_and_n;
  };
  std::vector<Entry> entries_;
  std::vector<SumLetters>* rows_ = nullptr;  ///< of the case that was asked for last, by n
};

}  // namespace qkvet::fuzz
