// Keys and values of one head as doubles, held while its rows are asked one after the other.
#pragma once

#include <cstdint>
#include <qkvet/problem/problem.hpp>
#include <vector>

namespace qkvet::bound {

/// k [S, d_k] and v [S, d_v] of the head that was asked last. The problem outlives this.
class DecodedHead {
 public:
  explicit DecodedHead(const Problem& problem) : problem_(problem) {}

  void head(std::int64_t b, std::int64_t kv_head);
  /// False for probe columns of V: ones, one key at a time, random signs.  docs/bounds.md 10.5
  [[nodiscard]] bool is_random(std::int64_t d) const {
    return random_[static_cast<std::size_t>(d)];
  }
  [[nodiscard]] const double* key(std::int64_t j) const {
    return k_.data() + static_cast<std::size_t>(j * problem_.shape.d_k);
  }
  [[nodiscard]] const double* value(std::int64_t j) const {
    return v_.data() + static_cast<std::size_t>(j * problem_.shape.d_v);
  }

 private:
  [[nodiscard]] bool has_three_sizes(std::int64_t d) const;
  [[nodiscard]] std::vector<double> rows(const Tensor& tensor, std::int64_t width) const;

  const Problem& problem_;
  std::int64_t b_ = -1, head_ = -1;
  std::vector<double> k_, v_;
  std::vector<bool> random_;
};

}  // namespace qkvet::bound
