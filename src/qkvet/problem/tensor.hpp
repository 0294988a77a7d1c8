// Shapes, tensors (the bits of a Format, densely in logical order) and memory layouts.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <qkvet/num/format.hpp>
#include <vector>

namespace qkvet {

/// The extents of one attention problem. q is [B, H_q, L, d_k], k [B, H_kv, S, d_k],
/// v [B, H_kv, S, d_v], o [B, H_q, L, d_v], lse [B, H_q, L]. Any extent may be zero; H_kv divides
/// H_q (query head h reads key/value head h / (H_q / H_kv)).
struct Shape {
  std::int64_t B = 1, H_q = 1, H_kv = 1, L = 1, S = 1, d_k = 1, d_v = 1;

  bool operator==(const Shape&) const = default;
  [[nodiscard]] std::int64_t kv_head(std::int64_t h) const { return h / (H_q / H_kv); }
  [[nodiscard]] std::int64_t row(std::int64_t b, std::int64_t h, std::int64_t i) const {
    return (b * H_q + h) * L + i;
  }
  [[nodiscard]] std::int64_t rows() const { return B * H_q * L; }
  [[nodiscard]] std::int64_t outputs() const { return rows() * d_v; }
  /// Multiply-adds of both products: rows * S * (d_k + d_v).
  [[nodiscard]] std::int64_t work() const { return rows() * S * (d_k + d_v); }
};

/// A dense tensor of up to four logical axes in row-major order, as the bits of its Format.
struct Tensor {
  Format format = Format::binary32;
  std::array<std::int64_t, 4> extents{1, 1, 1, 1};
  std::vector<std::uint64_t> bits;

  bool operator==(const Tensor&) const = default;
  [[nodiscard]] std::int64_t size() const {
    return extents[0] * extents[1] * extents[2] * extents[3];
  }
  [[nodiscard]] std::size_t index(std::int64_t a, std::int64_t b, std::int64_t c,
                                  std::int64_t d) const {
    return static_cast<std::size_t>(((a * extents[1] + b) * extents[2] + c) * extents[3] + d);
  }
  /// The exact value at logical place (a, b, c, d).
  [[nodiscard]] double value(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) const {
    return decode(format, bits[index(a, b, c, d)]);
  }
  /// Stores `x`, rounded once to the format.
  void set(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d, double x) {
    bits[index(a, b, c, d)] = encode(format, x);
  }
};

/// A tensor of zeros.
[[nodiscard]] Tensor make_tensor(Format format, std::array<std::int64_t, 4> extents);

/// How a tensor lies in memory when a candidate gets it: strides in elements (0 repeats one place,
/// so the logical values along that axis must be equal), and how far its first element is shifted
/// from an address aligned to 64 bytes (in elements). Absent strides: contiguous, row-major.
struct Layout {
  std::optional<std::array<std::int64_t, 4>> strides;
  std::int64_t shift = 0;

  bool operator==(const Layout&) const = default;
};

/// The strides in force: those of the layout, else row-major of `extents`.
[[nodiscard]] std::array<std::int64_t, 4> strides_of(const Layout& layout,
                                                     const std::array<std::int64_t, 4>& extents);

}  // namespace qkvet
