// The look that most cases of a differential target end with: a row that lies inside a proven lower
// part of the bound is accepted at once (docs/fuzzing.md 5 has the proof), the oracles are asked
// about any other. Nothing is rejected here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <qkvet/contract/contract.hpp>
#include <qkvet/problem/problem.hpp>
#include <vector>

#include "fuzz/call.hpp"
#include "fuzz/screen_letters.hpp"

namespace qkvet::fuzz {

class Screen {
 public:
  /// True only if `admit` would admit every output and LSE of the call. False is no verdict: the
  /// waist decides.
  [[nodiscard]] bool accepts(const Problem& problem, const Contract& contract, const Seen& seen);
  /// The same without the oracles: true only if the lower part of the bound suffices everywhere.
  [[nodiscard]] bool accepts_at_once(const Problem& problem, const Contract& contract,
                                     const Seen& seen);

 private:
  struct Row {
    std::int64_t b, h, i;
  };
  /// Of one visible key, the sink included.
  struct Key {
    const double* v;  ///< its values, in blocks of `block`, zeros behind the last
    double s, w;      ///< score; exp(s - m), then the weight
    double error;     ///< of s, computed here in double: absolute
    double least;     ///< a lower bound of the exponent error that the contract admits
    double part;      ///< weight times what is left of `least`: docs/fuzzing.md 5.4
  };
  static constexpr std::size_t block = 4;  ///< columns that are summed side by side
  using Block = std::array<double, block>;
  /// Sums over the keys, for each column of a block.
  struct Columns {
    Block o{}, absolute{}, total{}, low{}, high{};
  };

  bool every_row(const Problem& problem, const Contract& contract, const Seen& seen,
                 bool ask_oracles);
  bool prepare(const Problem& problem, const Contract& contract);
  void decode_head(std::int64_t b, std::int64_t head);
  bool row(const Row& row, const double* o, const double* lse);
  [[nodiscard]] bool empty_row(const Row& row, const double* o, const double* lse) const;
  [[nodiscard]] bool special_row(const double* o, const double* lse) const;
  bool scores(const Row& row);
  void add_key(const Row& row, std::int64_t j, double slope, std::int64_t diagonal);
  bool weights();
  bool share();
  [[nodiscard]] Columns columns(std::size_t first) const;
  bool outputs(const double* got);
  bool output(double got, const Columns& of, std::size_t first, std::size_t n);
  [[nodiscard]] bool open_column(double got, std::size_t d) const;
  [[nodiscard]] bool log_sum(const Row& row, double got) const;

  const Problem* problem_ = nullptr;
  const Contract* contract_ = nullptr;
  double scale_ = 0, scale_size_ = 0;
  bool masked_ = false;  ///< some part of a mask is there
  std::int64_t b_ = -1, head_ = -1;
  std::size_t width_ = 0;  ///< d_v up to a whole block
  std::vector<double> q_, k_, v_, no_values_;
  bool head_special_ = false;
  std::vector<std::uint8_t> key_special_, value_special_;  ///< NaN or infinity, by key of the head
  std::uint8_t special_ = 0;                               ///< in q or a visible key of the row
  std::vector<Key> keys_;
  bool shared_ = false;  ///< share() is done for this row
  double m_ = 0, sum_ = 0, spread_ = 0;
  double worst_ = 0;  ///< largest error / bound of the case so far, as far as it is known
  LetterTable table_;
  CaseLetters l_;
  SumLetters sums_;
};

}  // namespace qkvet::fuzz
