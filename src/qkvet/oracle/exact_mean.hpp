// Outputs that are rational numbers: where every group of keys with equal scores has the same exact
// mean of V, that mean is the output, whatever the scores are. docs/ladder.md 7.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <qkvet/contract/contract.hpp>
#include <qkvet/oracle/enclosure.hpp>
#include <qkvet/problem/problem.hpp>

namespace qkvet {

/// The exact-case test for the columns of one row.
class ExactMeans {
 public:
  /// `plan`: the row's class and visible keys. Requires a live row; `problem` outlives this.
  ExactMeans(const Problem& problem, const Semantics& semantics, const RowEnclosure& plan,
             std::int64_t b, std::int64_t h, std::int64_t i);
  ~ExactMeans();
  ExactMeans(const ExactMeans&) = delete;
  ExactMeans& operator=(const ExactMeans&) = delete;

  /// The output of column d rounded once to `format` if all groups agree on its mean, else nothing.
  [[nodiscard]] std::optional<std::uint64_t> rounded(std::int64_t d, Format format) const;

 private:
  struct Groups;
  std::unique_ptr<Groups> groups_;
};

}  // namespace qkvet
