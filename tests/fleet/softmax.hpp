// Step 2 of a fleet kernel: partial results over a range of keys, and their merges.
#pragma once

#include <vector>

#include "scores.hpp"

namespace fleet {

/// Weighted values over some keys relative to a maximum; after `divide`, an output and its LSE.
template <class Real>
struct Partial {
  Real maximum = 0, sum = 0;
  std::vector<Real> values;  ///< times the scale of 8-bit weights until `finish`
};

/// Works on one row: its scores, and V of its key head.
template <class Real>
class Softmax {
 public:
  Softmax(const Recipe& recipe, const Scores<Real>& scores, const Inputs<Real>& inputs,
          std::int64_t b, std::int64_t g);

  /// exp of a score against a shift, in the row's units.
  [[nodiscard]] Real weight(Real score, Real shift) const;
  /// A maximum that may be subtracted: 0 while nothing was seen.
  [[nodiscard]] static Real shift_of(Real maximum);
  [[nodiscard]] Real log_of(Real x) const;

  [[nodiscard]] Partial<Real> nothing() const;
  /// A sink as one more key with V = 0, under a new maximum.
  void add_sink(Partial<Real>& partial) const;
  void add_sink_late(Partial<Real>& partial) const;
  /// Online softmax over keys [first, last), tile by tile.
  void add_keys(Partial<Real>& partial, std::int64_t first, std::int64_t last) const;
  /// Two passes over all keys and the sink.
  [[nodiscard]] Partial<Real> two_pass() const;
  /// What has seen all its keys: takes the scale of 8-bit weights back, then divides.
  void finish(Partial<Real>& partial) const;
  /// values = values / sum; maximum becomes the LSE, sum 1. Nothing seen: 0 and -inf.
  void divide(Partial<Real>& partial) const;
  /// The sum of weight * V relative to `shift`, divided by `sum` first if it is not 1.
  void add_values(std::vector<Real>& values, Real shift, Real sum) const;

  /// Rounds the output of a part to the storage format, if the recipe says so.
  void store_part(Partial<Real>& partial) const;
  [[nodiscard]] Partial<Real> merge_states(const std::vector<Partial<Real>>& parts) const;
  /// One level: all parts against the largest LSE.
  [[nodiscard]] Partial<Real> merge_by_lse(const std::vector<Partial<Real>>& parts) const;

 private:
  [[nodiscard]] bool takes(std::int64_t j) const;
  /// A weight as it enters P V, and as it enters the sum.
  [[nodiscard]] Real held(Real weight) const;
  [[nodiscard]] Real summed(Real weight, bool odd_tile) const;
  [[nodiscard]] std::vector<std::int64_t> tiles(std::int64_t first, std::int64_t last) const;
  /// A key and its weight as it enters P V.
  struct Held {
    std::int64_t key;
    Real weight;
  };
  void add_products(std::vector<Real>& values, const std::vector<Held>& weights) const;
  void add_tile(Partial<Real>& partial, std::int64_t first, std::int64_t last) const;
  void rescale(Partial<Real>& partial, Real maximum) const;

  const Recipe& recipe_;
  const Scores<Real>& scores_;
  const Inputs<Real>& inputs_;
  std::int64_t b_, g_, d_v_, S_;
};

}  // namespace fleet
