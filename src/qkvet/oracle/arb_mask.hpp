// The Arb oracle's own reading of a problem's masks, biases, heads and element places, from the raw
// parts. It shares nothing with the reading in problem/, so that a mistake in either is seen by the
// other.
#pragma once

#include <cstdint>
#include <qkvet/contract/contract.hpp>
#include <qkvet/oracle/sabotage.hpp>
#include <qkvet/problem/problem.hpp>

namespace qkvet {

__extension__ using Int128 = __int128;

class ArbMask {
 public:
  ArbMask(const Problem& problem, const Semantics& semantics, const Sabotage* sabotage);

  /// The key of entry b that lies on query i's diagonal; may be out of range.
  [[nodiscard]] Int128 diagonal_key(std::int64_t b, std::int64_t i) const;
  /// Is key j let through by every part but the bias?
  [[nodiscard]] bool admits(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const;
  /// The entry of the bias tensor, 0 without one.
  [[nodiscard]] double additive(std::int64_t b, std::int64_t h, std::int64_t i,
                                std::int64_t j) const;
  /// Is a bias of -inf a mask, or a score that the softcap turns into -cap?
  [[nodiscard]] bool minus_infinity_hides() const { return minus_infinity_hides_; }
  [[nodiscard]] std::int64_t kv_head(std::int64_t h) const;

 private:
  const Problem& problem_;
  const Sabotage* sabotage_;
  bool minus_infinity_hides_;
};

}  // namespace qkvet
