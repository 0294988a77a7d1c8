// What a fleet kernel reads and rounds: inputs of any storage as Real (f64 for f64 inputs, else
// f32), and rounding to the storage and to the operands of matrix units.
#pragma once

#include <qkvet/kernels/args.hpp>
#include <qkvet/kernels/low.hpp>
#include <vector>

#include "fleet.hpp"

namespace fleet {

/// What a number becomes when it enters a product.
template <class Real>
[[nodiscard]] Real operand(Operands kind, Real x);

/// A weight of `scale` times its size in 8 bits.
template <class Real>
[[nodiscard]] Real in_eight_bits(Narrow format, Real x);

/// A [a, b, c, d] tensor as dense Real; exact.
template <class Real>
class Dense {
 public:
  Dense(const qkvet_tensor& tensor, bool flushes_f16);
  [[nodiscard]] Real operator()(std::int64_t a, std::int64_t b, std::int64_t c,
                                std::int64_t d) const {
    return values_[static_cast<std::size_t>(((a * B_ + b) * C_ + c) * D_ + d)];
  }
  /// Every element as it enters a product.
  void make_operands(Operands kind);

 private:
  std::int64_t B_, C_, D_;
  std::vector<Real> values_;
};

/// Rounds to the storage format of a call; the identity for f32 and f64.
template <class Real>
class ToStorage {
 public:
  ToStorage(qkvet_dtype stored, bool flushes_f16) : stored_(stored), flushes_(flushes_f16) {}
  [[nodiscard]] Real operator()(Real x) const;
  /// Rounds and stores element `offset` of an output of that format.
  void store(const qkvet_tensor& tensor, std::int64_t offset, Real x) const;

 private:
  qkvet_dtype stored_;
  bool flushes_;
};

/// One call: its arguments, and q, k, v as the kernel sees them.
template <class Real>
struct Inputs {
  const qkvet_args& args;
  qkvet::kernels::Dims dims;
  ToStorage<Real> low;
  Dense<Real> q, k, v;
};

}  // namespace fleet
