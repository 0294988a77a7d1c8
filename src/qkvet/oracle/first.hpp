// The first rung: attention in plain double with a proven bound of its own (docs/oracle.md 2). It is
// the hot path of every campaign: the loops and the decoded head are those of the certified ladder,
// which answers with roundings; this rung answers with the whole trace of a row. What it cannot
// decide goes to the Arb rung, so nothing fails on it.
#pragma once

#include <cstdint>
#include <qkvet/loops/kernels.hpp>
#include <qkvet/oracle/enclosure.hpp>
#include <qkvet/oracle/head.hpp>
#include <qkvet/problem/problem.hpp>
#include <vector>

namespace qkvet {

class FirstRung {
 public:
  /// Every path of the loops gives the same bits: the fastest one is taken if none is named.
  FirstRung(const Problem& problem, const Semantics& semantics,
            const loops::Kernels& kernels = *loops::available_kernels().back());

  [[nodiscard]] RowEnclosure row(std::int64_t b, std::int64_t h, std::int64_t i);

 private:
  void decode_head(std::int64_t b, std::int64_t kv_head);
  void dots(std::int64_t b, std::int64_t h, std::int64_t i, RowTrace& trace);
  void scores(std::int64_t b, std::int64_t h, std::int64_t i, RowTrace& trace) const;
  [[nodiscard]] Interval bias_of(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j,
                                 std::int64_t offset) const;
  [[nodiscard]] Interval sum_exponentials(const RowTrace& trace, bool with_sink, Interval& m,
                                          Interval& lse);
  void outputs(RowEnclosure& row);
  void mix_values(const Interval& sum, RowEnclosure& row);

  const Problem& problem_;
  Semantics semantics_;
  const loops::Kernels& kernels_;
  Interval scale_;
  std::int64_t b_ = -1, kv_head_ = -1;  // of the head
  HeadBlocks head_;
  // Scratch of one row, padded as the head is; low_ and high_ are ends of exponents.
  std::vector<double> query_, dot_, dot_abs_, low_, high_, exp_low_, exp_high_, weight_, error_,
      numerator_, spread_;
};

/// The default scale 1/sqrt(d_k) or the explicit one (docs/oracle.md 2.2).
[[nodiscard]] Interval scale_interval(const Problem& problem);

}  // namespace qkvet
