// The definition once more, in MPFR and nothing else: is an encoding the nearest one? Shares no code
// with the ladder, with Arb or with the oracle's definition but the reading of the problem.
#pragma once

#include <cstdint>
#include <memory>
#include <qkvet/contract/contract.hpp>
#include <qkvet/problem/problem.hpp>
#include <string>

namespace qkvet::test {

/// One row in MPFR: outputs, log-sum-exp and weights to about `bits` bits. Live rows with finite
/// inputs only.
class MpfrRow {
 public:
  MpfrRow(const Problem& problem, const Semantics& semantics, std::int64_t b, std::int64_t h,
          std::int64_t i, int bits);
  ~MpfrRow();
  MpfrRow(const MpfrRow&) = delete;
  MpfrRow& operator=(const MpfrRow&) = delete;

  /// True if no neighbour of `encoding` lies nearer to the value (numbered: outputs, lse, weights),
  /// but for the last quarter of MPFR's bits.
  [[nodiscard]] bool nearest(std::size_t value, Format format, std::uint64_t encoding) const;
  /// |x - value|, rounded to double.
  [[nodiscard]] double distance(std::size_t value, double x) const;
  [[nodiscard]] std::string text(std::size_t value) const;

 private:
  struct Values;
  std::unique_ptr<Values> values_;
};

}  // namespace qkvet::test
