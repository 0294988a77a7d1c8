// Numbers of any format and stride, as vectors of the format that flash computes in.
#pragma once

#include <qkvet/kernels/flash/vector.hpp>

namespace qkvet::kernels::fast::QKVET_FLASH_ISA {

template <class T>
inline constexpr Number own_format = sizeof(T) == 4 ? Number::b32 : Number::b64;

inline std::int64_t least(std::int64_t a, std::int64_t b) { return a < b ? a : b; }
inline std::int64_t most(std::int64_t a, std::int64_t b) { return a > b ? a : b; }

/// `count` <= width<T> small integers that follow each other, widened; 0 beyond them.
template <class T, class Small>
inline Int<T> load_small(const Small* from, std::int64_t count) {
  typedef Small Narrow __attribute__((vector_size(sizeof(Small) * width<T>)));
  Narrow x{};
  if (count == width<T>) {
    __builtin_memcpy(&x, from, sizeof(x));
  } else {
    for (std::int64_t n = 0; n < count; ++n) x[n] = from[n];
  }
  return __builtin_convertvector(x, Int<T>);
}

inline Vec<float> widen_bf16(const Int<float>& x) { return cast<Vec<float>>(x << 16); }
/// The exponents are moved by a multiplication, which is exact, of subnormal numbers too.
inline Vec<float> widen_f16(const Int<float>& x) {
  const Int<float> bits = (x & 0x7fff) << 13, special = (x & 0x7c00) == 0x7c00;
  const Int<float> finite = cast<Int<float>>(cast<Vec<float>>(bits) * 0x1p112F);
  return cast<Vec<float>>((special ? bits | 0x7f800000 : finite) | ((x & 0x8000) << 16));
}

/// Elements [at, at + count) of a line, count <= width<T>; 0 beyond them.
template <class T>
inline Vec<T> load_numbers(const Line& line, std::int64_t at, std::int64_t count) {
  if (line.step == 1) {
    if (line.format == own_format<T> && count == width<T>) {
      return load(reinterpret_cast<const T*>(line.first) + at);
    }
    if constexpr (sizeof(T) == 4) {
      const auto* halves = reinterpret_cast<const std::uint16_t*>(line.first) + at;
      if (line.format == Number::brain16) return widen_bf16(load_small<T>(halves, count));
      if (line.format == Number::b16) return widen_f16(load_small<T>(halves, count));
    }
  }
  Vec<T> x{};
  for (std::int64_t n = 0; n < count; ++n) x[n] = static_cast<T>(element(line, at + n));
  return x;
}

/// Elements [at, at + count) of a boolean mask as all ones or 0.
template <class T>
inline Int<T> load_flags(const std::uint8_t* flags, std::int64_t step, std::int64_t at,
                         std::int64_t count) {
  if (step == 1) return load_small<T>(flags + at, count) != 0;
  Int<T> x{};
  for (std::int64_t n = 0; n < count; ++n) x[n] = flags[(at + n) * step] != 0 ? -1 : 0;
  return x;
}

/// Rows [first, first + rows) of a table of numbers: where they lie if they can be used there, else
/// a copy in `room`.
template <class T>
struct Matrix {
  const T* first;
  std::int64_t stride;
};
template <class T>
Matrix<T> matrix_of(const Table& table, std::int64_t first, std::int64_t rows, std::int64_t columns,
                    T* room) {
  if (table.format == own_format<T> && table.inner == 1) {
    return {reinterpret_cast<const T*>(table.first) + first * table.step, table.step};
  }
  const std::int64_t stride = (columns + width<T> - 1) / width<T> * width<T>;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t start = (first + r) * table.step * bytes_of(table.format);
    const Line line{table.first + start, table.inner, table.format};
    for (std::int64_t c = 0; c < columns; c += width<T>) {
      store(room + r * stride + c, load_numbers<T>(line, c, least(width<T>, columns - c)));
    }
  }
  return {room, stride};
}

template <class T>
inline bool is_finite(T x) {
  return x - x >= 0;
}
/// True if no element is NaN or infinite.
template <class T>
bool all_finite(const Matrix<T>& m, std::int64_t rows, std::int64_t columns) {
  Int<T> differ{};  // x - x is NaN, else 0
  for (std::int64_t r = 0; r < rows; ++r) {
    const T* row = m.first + r * m.stride;
    std::int64_t c = 0;
    for (; c + width<T> <= columns; c += width<T>) {
      const Vec<T> x = load(row + c);
      differ |= ~((x - x) >= 0);
    }
    for (; c < columns; ++c) differ[0] |= is_finite(row[c]) ? 0 : -1;
  }
  for (int n = 1; n < width<T>; ++n) differ[0] |= differ[n];
  return differ[0] == 0;
}

}  // namespace qkvet::kernels::fast::QKVET_FLASH_ISA
