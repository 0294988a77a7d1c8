// The product of a tile, C = A B: both matrix products of attention are this one routine. B and C
// hold a query per lane; A is the keys, or the values transposed, where they lie in memory.
#pragma once

#include <qkvet/kernels/flash/numbers.hpp>

namespace qkvet::kernels::fast::QKVET_FLASH_ISA {

/// Rows of A that block_product takes at once, so that R x N sums, N of B and an element of A fill the
/// registers: 32, or 16; one more where a product needs one before it is added.
#if QKVET_FLASH_BYTES == 64 || defined(__aarch64__)
template <int N>
inline constexpr int block_rows = N == 3 ? 8 : 12;
#elif defined(__FMA__)
template <int N>
inline constexpr int block_rows = N == 3 ? 4 : N == 2 ? 6 : 8;
#else
template <int N>
inline constexpr int block_rows = N == 3 ? 3 : N == 2 ? 5 : 8;
#endif

/// Rows of A are rows in memory: keys.
template <class T, int R>
struct Keys {
  const T* row[R];
  Keys(const T* a, std::int64_t stride, std::int64_t first, std::int64_t rows) {
    for (int r = 0; r < R; ++r) row[r] = a + (first + r < rows ? first + r : rows - 1) * stride;
  }
  T operator()(int r, std::int64_t k) const { return row[r][k]; }
};
/// Rows of A are columns in memory: values.
template <class T, int R>
struct Values {
  const T* a;
  std::int64_t stride;
  std::int64_t at[R];
  Values(const T* from, std::int64_t step, std::int64_t first, std::int64_t rows)
      : a(from), stride(step) {
    for (int r = 0; r < R; ++r) at[r] = first + r < rows ? first + r : rows - 1;
  }
  T operator()(int r, std::int64_t k) const { return a[k * stride + at[r]]; }
};
/// Values where no row is beyond the end: consecutive elements.
template <class T, int R>
struct WholeValues {
  const T* a;
  std::int64_t stride;
  WholeValues(const T* from, std::int64_t step, std::int64_t first, std::int64_t /*rows*/)
      : a(from + first), stride(step) {}
  T operator()(int r, std::int64_t k) const { return a[k * stride + r]; }
};

/// sums[r][n] = sum over k of A[r][k] B[k][n], one chain each, k rising.
template <class T, int R, int N, class A>
[[gnu::always_inline]] inline void block_product(const A& a, const T* b, std::int64_t depth,
                                                 Vec<T> (&sums)[R][N]) {
  QKVET_UNROLL(16)
  for (int r = 0; r < R; ++r) {
    QKVET_UNROLL(16)
    for (int n = 0; n < N; ++n) sums[r][n] = Vec<T>{};
  }
  for (std::int64_t k = 0; k < depth; ++k, b += N * width<T>) {
    Vec<T> row[N];
    QKVET_UNROLL(16)
    for (int n = 0; n < N; ++n) {
      row[n] = load(b + n * width<T>);
      pin(row[n]);
    }
    QKVET_UNROLL(16)
    for (int r = 0; r < R; ++r) {
      const Vec<T> x = splat(a(r, k));
      QKVET_UNROLL(16)
      for (int n = 0; n < N; ++n) sums[r][n] += x * row[n];
    }
  }
}

/// Rows [first, first + R) of C, those that exist: set, or rescaled by `factor` and added to.
template <class T, int R, int N, class A>
[[gnu::always_inline]] inline void rows_product(const T* a, std::int64_t stride, std::int64_t first,
                                                std::int64_t rows, const T* b, std::int64_t depth,
                                                const Vec<T>* factor, T* c) {
  Vec<T> sums[R][N];
  block_product<T, R, N>(A(a, stride, first, rows), b, depth, sums);
  T* to = c + first * N * width<T>;
  QKVET_UNROLL(16)
  for (int r = 0; r < R; ++r) {
    if (first + r >= rows) break;
    QKVET_UNROLL(16)
    for (int n = 0; n < N; ++n, to += width<T>) {
      store(to, factor == nullptr ? sums[r][n] : Vec<T>(load(to) * factor[n] + sums[r][n]));
    }
  }
}

/// With few queries memory sets the pace, and rows side by side are no pattern to a processor.
template <class T>
inline void prefetch(const T* a, std::int64_t stride, std::int64_t first, std::int64_t end,
                     std::int64_t depth) {
  constexpr std::int64_t line = 64 / static_cast<int>(sizeof(T));
  for (std::int64_t r = first; r < end; ++r) {
    for (std::int64_t k = 0; k < depth; k += line) __builtin_prefetch(a + r * stride + k);
  }
}

/// C[rows][N] = A[rows][depth] B[depth][N]. In a function of its own: inlined into a larger one it
/// loses its registers.
template <class T, int N>
[[gnu::noinline]] void key_product(const T* a, std::int64_t stride, std::int64_t rows, const T* b,
                                   std::int64_t depth, T* c) {
  constexpr int R = block_rows<N>;
  std::int64_t r = 0;
  for (; r + R / 2 < rows; r += R) {
    if (N == 1) prefetch(a, stride, r + R, least(r + 2 * R, rows), depth);
    rows_product<T, R, N, Keys<T, R>>(a, stride, r, rows, b, depth, nullptr, c);
  }
  if (r < rows) {
    rows_product<T, R / 2, N, Keys<T, R / 2>>(a, stride, r, rows, b, depth, nullptr, c);
  }
}
/// C[rows][N] = C diag(factor) + A^T B, A[depth][rows] as it lies in memory.
template <class T, int N>
[[gnu::noinline]] void value_product(const T* a, std::int64_t stride, std::int64_t rows,
                                     const T* b, std::int64_t depth, const Vec<T>* factor, T* c) {
  constexpr int R = block_rows<N>;
  std::int64_t r = 0;
  for (; r + R <= rows; r += R) {
    rows_product<T, R, N, WholeValues<T, R>>(a, stride, r, rows, b, depth, factor, c);
  }
  for (; r < rows; r += R / 2) {
    rows_product<T, R / 2, N, Values<T, R / 2>>(a, stride, r, rows, b, depth, factor, c);
  }
}

/// key_product for the first `queries` lanes of one vector, with keys in the lanes: far fewer operations
/// for few queries. Each element of C is the same chain, so its bits are the same.
template <class T>
[[gnu::noinline]] void key_rows(const T* a, std::int64_t stride, std::int64_t rows, const T* b,
                                std::int64_t queries, std::int64_t depth, T* c) {
  constexpr int W = width<T>;
  for (std::int64_t first = 0; first < rows; first += W) {
    Vec<T> sums[W / 2];
    for (std::int64_t q = 0; q < queries; ++q) sums[q] = Vec<T>{};
    for (std::int64_t k = 0; k < depth; k += W) {
      const std::int64_t some = least(W, depth - k);
      Vec<T> square[W];
      prefetch(a + k, stride, first + W, first + 2 * W, some);  // past the end nothing is read
      for (int r = 0; r < W; ++r) {
        const T* row = a + least(first + r, rows - 1) * stride + k;
        square[r] = some == W ? load(row) : load_numbers<T>({reinterpret_cast<const char*>(row), 1, own_format<T>}, 0, some);
      }
      transpose<T>(square);
      for (std::int64_t q = 0; q < queries; ++q) {
        if (some == W) {
          QKVET_UNROLL(16)
          for (int i = 0; i < W; ++i) sums[q] += square[i] * b[(k + i) * W + q];
        } else {
          for (int i = 0; i < some; ++i) sums[q] += square[i] * b[(k + i) * W + q];
        }
      }
    }
    for (std::int64_t q = 0; q < queries; ++q) {
      for (int r = 0; r < W && first + r < rows; ++r) c[(first + r) * W + q] = sums[q][r];
    }
  }
}

/// The same for one query, lane `r` of B and C, with consecutive elements of A in the lanes: A is
/// read once, in its order. Each element of C is the same chain, so its bits are the same.
template <class T>
[[gnu::noinline]] void value_row(const T* a, std::int64_t stride, std::int64_t rows, const T* b,
                                 std::int64_t step, std::int64_t depth, T factor, T* c) {
  constexpr int W = width<T>, together = 8;
  std::int64_t d = 0;
  for (; d + W <= rows; d += W * together) {
    const int some = static_cast<int>(least(together, (rows - d) / W));
    Vec<T> sums[together];
    for (int n = 0; n < together; ++n) sums[n] = Vec<T>{};
    if (some == together) {
      for (std::int64_t k = 0; k < depth; ++k) {
        const Vec<T> x = splat(b[k * step]);
        prefetch(a + d, stride, k + W, k + W + 1, W * together);
        QKVET_UNROLL(16)
        for (int n = 0; n < together; ++n) sums[n] += x * load(a + k * stride + d + n * W);
      }
    } else {
      for (std::int64_t k = 0; k < depth; ++k) {
        const Vec<T> x = splat(b[k * step]);
        for (int n = 0; n < some; ++n) sums[n] += x * load(a + k * stride + d + n * W);
      }
    }
    for (int n = 0; n < some; ++n) {
      for (int i = 0; i < W; ++i) {
        T* to = c + (d + n * W + i) * step;
        *to = *to * factor + sums[n][i];
      }
    }
  }
  for (d = rows / W * W; d < rows; ++d) {
    T sum = 0;
    for (std::int64_t k = 0; k < depth; ++k) sum += b[k * step] * a[k * stride + d];
    c[d * step] = c[d * step] * factor + sum;
  }
}

}  // namespace qkvet::kernels::fast::QKVET_FLASH_ISA
