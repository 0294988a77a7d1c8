// Places of one problem, row by row: keeps what rows share (decoded V of a head, infinities of the
// inputs).
#pragma once

#include <qkvet/bound/admissible.hpp>
#include <qkvet/bound/row_bound.hpp>

namespace qkvet::bound {

/// V of one key/value head: [S, d_v], nonfinite values replaced by 0, and per column over all S
/// keys.
struct Values {
  std::int64_t b = -1, head = -1;
  std::vector<double> v;
  std::vector<double> low, high;  ///< of the finite values; 0, 0 if there is none
  std::vector<Mag> absolute;      ///< sum |V|
  std::vector<Mag> below, above;  ///< sum of the negative values, of the positive ones
  std::vector<bool> nonfinite;
};

/// A NaN is due and nothing else.
[[nodiscard]] Place due_nan();
/// An LSE that the contract leaves open: any value.
[[nodiscard]] Place exempt_lse();

class Admitter {
 public:
  Admitter(const Problem& problem, const Contract& contract);

  /// The places of a row: d_v outputs, then the LSE.
  [[nodiscard]] std::vector<Place> row(const RowEnclosure& row, std::int64_t b, std::int64_t h,
                                       std::int64_t i);

 private:
  struct Row {
    const RowEnclosure& enclosure;
    std::int64_t b, h, i;
  };
  void decode(std::int64_t b, std::int64_t head);
  [[nodiscard]] std::vector<Place> live(const Row& row);
  [[nodiscard]] std::vector<Place> empty(const Row& row) const;
  [[nodiscard]] Place live_column(const RowBound& bound, const ColumnSums& sums, bool overflows,
                                  const Row& row, std::int64_t d) const;
  [[nodiscard]] Place nan_column(const RowBound& bound, const Row& row, std::int64_t d) const;
  [[nodiscard]] Place live_lse(const RowBound& bound, const Row& row) const;
  [[nodiscard]] Place empty_column(const Letters& letters, const Row& row, std::int64_t d) const;
  [[nodiscard]] Place empty_lse() const;
  [[nodiscard]] Place sink_lse(const Row& row) const;
  [[nodiscard]] Uncentred uncentred_of(const Row& row) const;
  [[nodiscard]] Place mean(const Letters& letters, const Row& row, std::int64_t d) const;
  [[nodiscard]] Place exempt(const Row& row, std::int64_t d, const Uncentred& u) const;
  [[nodiscard]] Interval open_hull(const Row& row, std::size_t d) const;
  [[nodiscard]] bool hidden_overflow(const Letters& letters, const Row& row, std::int64_t d) const;
  [[nodiscard]] Place lse_place(const RowBound& bound, const RowTrace& trace) const;

  const Problem& problem_;
  const Contract& contract_;
  bool infinite_ = false;  ///< some input holds an infinity
  Values values_;
};

}  // namespace qkvet::bound
