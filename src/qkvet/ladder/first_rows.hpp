// The first rung of the ladder: up to 32 rows in double, and the proven bound of their errors.
#pragma once

#include <cstdint>
#include <qkvet/contract/contract.hpp>
#include <qkvet/oracle/head.hpp>
#include <qkvet/loops/kernels.hpp>
#include <qkvet/problem/problem.hpp>
#include <vector>

namespace qkvet::ladder {

using namespace loops;

/// What is known of one row after the pass over its weights. docs/ladder.md 3.4
struct RowError {
  bool usable = false;   ///< false: nothing is known of this row in double
  double sum = 0;        ///< D^: the computed denominator
  double W = 0;          ///< >= the exact sum of the computed weights
  double lost = 0;       ///< >= sum |w_j - w^_j|
  double denominator = 0;  ///< <= the exact sum of the exact weights
  double gamma_sum = 0;  ///< relative error of D^ as the sum of the computed weights
  double gamma_value = 0;  ///< the same for the numerators
  double alpha = 0, beta = 0, tau = 0;
};

/// Rows i .. i + count of one head.
class FirstRows {
 public:
  FirstRows(const Problem& problem, const Semantics& semantics, const Kernels& kernels);

  /// Computes scores, weights and numerators of `count` <= group rows.
  void compute(const HeadBlocks& head, std::int64_t b, std::int64_t h, std::int64_t i,
               std::int64_t count);

  [[nodiscard]] const RowError& error(std::int64_t r) const { return at(errors_, r); }
  [[nodiscard]] bool finite_inputs(std::int64_t r) const { return at(finite_, r) != 0; }
  [[nodiscard]] std::int64_t visible_keys(std::int64_t r) const { return at(visible_, r); }
  /// Per key, padded: the computed weight, and the bound z of its exponent's error.
  [[nodiscard]] const double* weights(std::int64_t r) const { return s_.data() + r * stride_; }
  [[nodiscard]] const double* exponent_errors(std::int64_t r) const {
    return z_.data() + r * stride_;
  }
  [[nodiscard]] double shift(std::int64_t r) const { return at(shift_, r); }
  [[nodiscard]] const double* numerators(std::int64_t r) const { return out_.data() + r * d_pad_; }
  /// The query, one double in `group`; its 2-norm, rounded up.
  [[nodiscard]] const double* query(std::int64_t r) const { return q_.data() + r; }
  [[nodiscard]] double query_norm(std::int64_t r) const { return at(q_norm_, r); }
  [[nodiscard]] double scale() const { return scale_; }

 private:
  template <class T>
  static const T& at(const std::vector<T>& x, std::int64_t r) {
    return x[static_cast<std::size_t>(r)];
  }
  void read_query(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t r);
  void scores(const HeadBlocks& head, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t r);
  void features(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t r);
  void hide(const HeadBlocks& head, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t r);
  void sum_up(const HeadBlocks& head, std::int64_t r);

  const Problem& problem_;
  const Semantics& semantics_;
  const Kernels& kernels_;
  double scale_, scale_error_;
  bool masked_, featured_;
  std::int64_t stride_ = 0, d_pad_ = 0;
  std::vector<double> q_, s_, z_, out_, q_norm_, shift_;
  std::vector<std::int64_t> visible_;
  std::vector<std::uint8_t> finite_;
  std::vector<RowError> errors_;
};

}  // namespace qkvet::ladder
