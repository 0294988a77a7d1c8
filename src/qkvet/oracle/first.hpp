// The first rung: attention in plain double with an a-priori bound of its own (docs/oracle.md 2).
// It is the hot path of every campaign; what it cannot decide goes to the Arb rung, so nothing
// fails on it.
#pragma once

#include <cstdint>
#include <qkvet/oracle/enclosure.hpp>
#include <qkvet/oracle/facts.hpp>
#include <qkvet/problem/problem.hpp>
#include <vector>

namespace qkvet {

class FirstRung {
 public:
  FirstRung(const Problem& problem, const Semantics& semantics);

  [[nodiscard]] RowEnclosure row(std::int64_t b, std::int64_t h, std::int64_t i);

 private:
  void decode_head(std::int64_t b, std::int64_t kv_head);
  void dots(std::int64_t b, std::int64_t h, std::int64_t i, RowTrace& trace);
  void scores(std::int64_t b, std::int64_t h, std::int64_t i, RowTrace& trace) const;
  [[nodiscard]] Interval bias_of(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j,
                                 std::int64_t offset) const;
  void outputs(RowEnclosure& row);
  void mix_values(const Interval& sum, RowEnclosure& row);

  const Problem& problem_;
  Semantics semantics_;
  Interval scale_;
  // The decoded head: keys [d_k][S] (columns, so that the loop over keys vectorises), values
  // [S][d_v]; nonfinite places hold 0 and are told by the facts.
  std::int64_t b_ = -1, kv_head_ = -1;
  HeadFacts facts_;
  std::vector<double> keys_, values_, key_sum_, key_max_;
  // Scratch of one row.
  std::vector<double> dot_, dot_abs_, numerator_, spread_;
  std::vector<Interval> exponentials_;
};

/// The default scale 1/sqrt(d_k) or the explicit one (docs/oracle.md 2.2).
[[nodiscard]] Interval scale_interval(const Problem& problem);

}  // namespace qkvet
