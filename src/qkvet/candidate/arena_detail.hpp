// Walking the elements of a placed tensor: shared by the two halves of the arena, not an interface.
#pragma once

#include <algorithm>
#include <cstring>
#include <qkvet/candidate/arena.hpp>

namespace qkvet::arena_detail {

/// A whole byte pattern per poison: NaN in every format, or a huge number: 1.4e306, 3.4e38 (f32 and
/// bf16), 61280 (f16, where the bytes of the others are a NaN); true as a boolean. Who reads beyond
/// a tensor gets values that show.
constexpr unsigned char canary(const Piece& piece, Poison poison) {
  if (poison == Poison::nan) return 0xff;
  return piece.format == Format::binary16 ? 0x7b : 0x7f;
}

/// Calls fn(logical index, address) for every element in logical order.
template <class Fn>
void each_element(const Piece& p, Fn&& fn) {
  std::size_t index = 0;
  const std::int64_t step = p.strides[3] * p.bytes;
  for (std::int64_t a = 0; a < p.extents[0]; ++a) {
    for (std::int64_t b = 0; b < p.extents[1]; ++b) {
      for (std::int64_t c = 0; c < p.extents[2]; ++c) {
        std::byte* at =
            p.origin + (a * p.strides[0] + b * p.strides[1] + c * p.strides[2]) * p.bytes;
        for (std::int64_t d = 0; d < p.extents[3]; ++d, at += step) fn(index++, at);
      }
    }
  }
}

/// How far around an element of a sparse piece canaries lie.
inline constexpr std::int64_t near = 64;

/// Calls fn(begin, end) for the bytes around every element of a sparse piece; those of neighbours
/// overlap.
template <class Fn>
void each_surrounding(const Piece& p, Fn&& fn) {
  each_element(p, [&](std::size_t, std::byte* at) {
    fn(std::max(at - near, p.band_begin), std::min(at + p.bytes + near, p.band_end));
  });
}

/// The same for a piece whose elements are of type T: quick where they lie one after the other.
template <class T, class Fn>
void each_value(const Piece& p, Fn&& fn) {
  if (!p.dense) return each_element(p, fn);
  const auto count = static_cast<std::size_t>(p.count);
  for (std::size_t n = 0; n < count; ++n) fn(n, p.origin + n * sizeof(T));
}

/// Calls fn with a zero of the unsigned type that is `bytes` wide.
template <class Fn>
void with_width(int bytes, Fn&& fn) {
  switch (bytes) {
    case 1:
      return fn(std::uint8_t{});
    case 2:
      return fn(std::uint16_t{});
    case 4:
      return fn(std::uint32_t{});
    default:
      return fn(std::uint64_t{});
  }
}

/// The values of an input other than the boolean mask; null for outputs and absent inputs.
inline const Tensor* input_tensor(const Problem& problem, Slot slot) {
  switch (slot) {
    case Slot::q:
      return &problem.q;
    case Slot::k:
      return &problem.k;
    case Slot::v:
      return &problem.v;
    case Slot::bias:
      return problem.mask.bias ? &*problem.mask.bias : nullptr;
    case Slot::sinks:
      return problem.sinks ? &*problem.sinks : nullptr;
    case Slot::slopes:
      return problem.alibi_slopes ? &*problem.alibi_slopes : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace qkvet::arena_detail
