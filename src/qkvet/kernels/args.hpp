// What a kernel reads from the raw parts of the C ABI: extents, strided views, and what one query
// row sees. Shared by the kernels of this folder and by nothing that judges them.
#pragma once

#include <qkvet/candidate/kernel.h>

#include <array>
#include <cstdint>

namespace qkvet::kernels {

struct Dims {
  std::int64_t B, H_q, H_kv, L, S, d_k, d_v;
};
[[nodiscard]] Dims dims_of(const qkvet_args& args);

/// The address of the first element.
[[nodiscard]] char* base_of(const qkvet_tensor& tensor);

/// The elements along the last axis of a View.
template <class T>
struct Strided {
  T* first;
  std::int64_t stride;

  [[nodiscard]] T& operator[](std::int64_t n) const { return first[n * stride]; }
};

/// A tensor of up to four axes with its own strides, all in elements; missing axes have stride 0.
template <class T>
class View {
 public:
  explicit View(const qkvet_tensor& tensor) : data_(reinterpret_cast<T*>(base_of(tensor))) {
    for (std::int32_t axis = 0; axis < tensor.ndim && axis < 4; ++axis) {
      strides_[static_cast<std::size_t>(axis)] = tensor.strides[axis];
    }
  }
  [[nodiscard]] T& operator()(std::int64_t a, std::int64_t b, std::int64_t c,
                              std::int64_t d = 0) const {
    return data_[a * strides_[0] + b * strides_[1] + c * strides_[2] + d * strides_[3]];
  }
  [[nodiscard]] Strided<T> line(std::int64_t a, std::int64_t b, std::int64_t c) const {
    return {data_ + a * strides_[0] + b * strides_[1] + c * strides_[2], strides_[3]};
  }

 private:
  T* data_;
  std::array<std::int64_t, 4> strides_{};
};

/// The value at `offset` elements from the start of an f64, f32, f16 or bf16 tensor.
[[nodiscard]] double number_at(const qkvet_tensor& tensor, std::int64_t offset);

/// The sink of query head h; -infinity if there is none.
[[nodiscard]] double sink_of(const qkvet_args& args, std::int64_t h);

/// What query row (b, h, i) sees: the mask parts combined by AND, and the biases.
class RowMask {
 public:
  RowMask(const qkvet_args& args, std::int64_t b, std::int64_t h, std::int64_t i);

  /// Keys outside [first, last) are hidden; keys inside may be.
  [[nodiscard]] std::int64_t first() const { return first_; }
  [[nodiscard]] std::int64_t last() const { return last_; }
  /// Does the row see key j? A bias of -inf hides its key.
  [[nodiscard]] bool visible(std::int64_t j) const;
  /// Additive bias plus ALiBi; 0 without either.
  [[nodiscard]] double bias(std::int64_t j) const;

 private:
  /// One row of a broadcast [B|1, H_q|1, L|1, S|1] tensor.
  struct Line {
    const qkvet_tensor* tensor = nullptr;
    std::int64_t start = 0, step = 0;
  };
  [[nodiscard]] static Line line(const qkvet_tensor* tensor, std::int64_t b, std::int64_t h,
                                 std::int64_t i);

  std::int64_t first_ = 0, last_ = 0;
  std::int64_t diagonal_ = 0;  // i + offset
  double slope_ = 0;
  Line attend_, bias_;
};

inline constexpr qkvet_dtype f64{QKVET_FLOAT, 64, 1}, f32{QKVET_FLOAT, 32, 1},
    f16{QKVET_FLOAT, 16, 1}, bf16{QKVET_BFLOAT, 16, 1};
[[nodiscard]] constexpr bool same(qkvet_dtype a, qkvet_dtype b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

/// QKVET_OK if q, k, v and o are of the format `stored`, the LSE is f64 beside f64 and else f32, and
/// everything else is a float, else QKVET_UNSUPPORTED with the reason in `why`.
[[nodiscard]] int accept(const qkvet_args& args, qkvet_dtype stored, qkvet_error* why);

/// Copies `message` into `why` and returns `status`.
int refuse(int status, const char* message, qkvet_error* why);

}  // namespace qkvet::kernels
