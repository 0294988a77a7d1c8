// What a fleet kernel reads and rounds: inputs of any storage as f32, and rounding to the storage.
#pragma once

#include <qkvet/kernels/args.hpp>
#include <qkvet/kernels/low.hpp>
#include <vector>

namespace fleet {

/// A [a, b, c, d] tensor as dense f32; exact for f32, f16 and bf16.
class Dense {
 public:
  Dense(const qkvet_tensor& tensor, bool flushes_f16);
  [[nodiscard]] float operator()(std::int64_t a, std::int64_t b, std::int64_t c,
                                 std::int64_t d) const {
    return values_[static_cast<std::size_t>(((a * B_ + b) * C_ + c) * D_ + d)];
  }

 private:
  std::int64_t B_, C_, D_;
  std::vector<float> values_;
};

/// Rounds to the storage format of a call; the identity for f32.
class ToStorage {
 public:
  ToStorage(qkvet_dtype stored, bool flushes_f16) : stored_(stored), flushes_(flushes_f16) {}
  [[nodiscard]] float operator()(float x) const;
  /// Rounds and stores element `offset` of an output of that format.
  void store(const qkvet_tensor& tensor, std::int64_t offset, float x) const;

 private:
  qkvet_dtype stored_;
  bool flushes_;
};

/// One call: its arguments, and q, k, v as the kernel sees them.
struct Inputs {
  const qkvet_args& args;
  qkvet::kernels::Dims dims;
  ToStorage low;
  Dense q, k, v;
};

}  // namespace fleet
