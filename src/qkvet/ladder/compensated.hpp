// The third rung: one row again with compensated dot products and sums, about twice the precision
// wherever errors pile up. docs/ladder.md 6.
#pragma once

#include <cstdint>
#include <qkvet/ladder/certify.hpp>
#include <qkvet/ladder/first_rows.hpp>
#include <qkvet/oracle/head.hpp>
#include <vector>

namespace qkvet::ladder {

class CompensatedRow {
 public:
  /// False: the row has a softcap or ALiBi, or numbers out of range; nothing is computed.
  [[nodiscard]] bool compute(const Problem& problem, const HeadBlocks& head, const FirstRows& rows,
                             const Kernels& kernels, std::int64_t b, std::int64_t h,
                             std::int64_t i, std::int64_t r);

  /// The output of column d and an upper bound of its error.
  [[nodiscard]] Bounded output(const HeadBlocks& head, std::int64_t d) const;

 private:
  std::vector<double> high_, low_, weight_, error_;  // error_: relative, of each weight
  double sum_ = 0, denominator_ = 0, W_ = 0, lost_ = 0;
};

}  // namespace qkvet::ladder
