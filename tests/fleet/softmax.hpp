// Step 2 of a fleet kernel: partial results over a range of keys, and their merges.
#pragma once

#include <vector>

#include "scores.hpp"

namespace fleet {

/// Weighted values over some keys relative to a maximum; after `divide`, an output and its LSE.
struct Partial {
  float maximum = 0, sum = 0;
  std::vector<float> values;
};

/// Works on one row: its scores, and V of its key head.
class Softmax {
 public:
  Softmax(const Recipe& recipe, const Scores& scores, const Inputs& inputs, std::int64_t b,
          std::int64_t g);

  /// exp of a score against a shift, in the row's units.
  [[nodiscard]] float weight(float score, float shift) const;
  /// A maximum that may be subtracted: 0 while nothing was seen.
  [[nodiscard]] static float shift_of(float maximum);
  [[nodiscard]] float log_of(float x) const;

  [[nodiscard]] Partial nothing() const;
  /// A sink as one more key with V = 0, under a new maximum.
  void add_sink(Partial& partial) const;
  void add_sink_late(Partial& partial) const;
  /// Online softmax over keys [first, last), tile by tile.
  void add_keys(Partial& partial, std::int64_t first, std::int64_t last) const;
  /// Two passes over all keys and the sink.
  [[nodiscard]] Partial two_pass() const;
  /// values = values / sum; maximum becomes the LSE, sum 1. Nothing seen: 0 and -inf.
  void divide(Partial& partial) const;
  /// The sum of weight * V relative to `shift`, divided by `sum` first if it is not 1.
  void add_values(std::vector<float>& values, float shift, float sum) const;

  /// Rounds the output of a part to the storage format, if the recipe says so.
  void store_part(Partial& partial) const;
  [[nodiscard]] Partial merge_states(const std::vector<Partial>& parts) const;
  /// One level: all parts against the largest LSE.
  [[nodiscard]] Partial merge_by_lse(const std::vector<Partial>& parts) const;

 private:
  [[nodiscard]] bool takes(std::int64_t j) const;
  /// A weight as it enters P V, and as it enters the sum.
  [[nodiscard]] float held(float weight) const;
  [[nodiscard]] float summed(float weight, bool odd_tile) const;
  [[nodiscard]] std::vector<std::int64_t> tiles(std::int64_t first, std::int64_t last) const;
  void add_tile(Partial& partial, std::int64_t first, std::int64_t last) const;
  void rescale(Partial& partial, float maximum) const;

  const Recipe& recipe_;
  const Scores& scores_;
  const Inputs& inputs_;
  std::int64_t b_, g_, d_v_, S_;
};

}  // namespace fleet
