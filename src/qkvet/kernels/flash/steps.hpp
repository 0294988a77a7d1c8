// The steps of flash on the scores of one tile, [keys][lanes] in the first cache: softcap, bias, ALiBi,
// ranges, softmax, merge. A query per lane: nothing is ever summed over lanes.
#pragma once

#include <qkvet/kernels/flash/numbers.hpp>

namespace qkvet::kernels::fast::QKVET_FLASH_ISA {

#if defined(__FMA__) || defined(__aarch64__)
inline constexpr bool fuses = true;
#else
inline constexpr bool fuses = false;
#endif

/// A constant factor in two pieces: a product with it is rounded once, so that no error of the
/// constant is shared by all scores. Without fused operations it is rounded to T.
template <class T>
struct Factor {
  T high, low;
  explicit Factor(const Constant& c)
      : high(static_cast<T>(c.high)),
        low(fuses ? static_cast<T>((c.high - static_cast<double>(high)) + c.low) : 0) {}

  [[nodiscard]] Vec<T> times(const Vec<T>& x) const {
    Vec<T> rest = x * low;
    pin(rest);
    return x * high + rest;
  }
};

template <class T>
inline constexpr T infinity = static_cast<T>(__builtin_inf());

/// The online softmax so far, in base 2: maximum, sum of 2^(score - maximum), and the values
/// weighted by the same, [d_v][lanes].
template <class T, int N>
struct State {
  static constexpr int lanes = N * width<T>;
  Vec<T> maximum[N], sum[N];
  T* values;

  void clear(std::int64_t d_v) {
    for (int n = 0; n < N; ++n) maximum[n] = splat(-infinity<T>);
    for (int n = 0; n < N; ++n) sum[n] = Vec<T>{};
    __builtin_memset(values, 0, static_cast<std::size_t>(d_v * lanes) * sizeof(T));
  }
};

/// Nothing finite so far: any shift will do, but (-inf) - (-inf) would not.
template <class T>
inline Vec<T> shift_of(const Vec<T>& maximum) {
  return maximum > -infinity<T> ? maximum : Vec<T>{};
}

/// Scores become weights 2^(score - maximum); `factor` is what earlier weights are multiplied by:
/// exactly 1 where the maximum stays. A NaN score stays out of the maximum and comes back through
/// its weight.
template <class T, int N>
[[gnu::noinline]] void softmax_step(T* scores, std::int64_t keys, State<T, N>& state,
                                    Vec<T> (&factor)[N]) {
  Vec<T> high[N], part[N];
  for (int n = 0; n < N; ++n) high[n] = state.maximum[n];
  const T* end = scores + keys * N * width<T>;
  for (const T* s = scores; s < end; s += N * width<T>) {
    QKVET_UNROLL(16)
    for (int n = 0; n < N; ++n) {
      const Vec<T> x = load(s + n * width<T>);
      high[n] = x > high[n] ? x : high[n];
    }
  }
  for (int n = 0; n < N; ++n) {
    const Vec<T> shift = shift_of<T>(high[n]);
    factor[n] = exp2_of<T>(state.maximum[n] - shift);
    state.maximum[n] = high[n];
    high[n] = shift;
    part[n] = Vec<T>{};
  }
  for (T* s = scores; s < end; s += N * width<T>) {
    QKVET_UNROLL(16)
    for (int n = 0; n < N; ++n) {
      const Vec<T> weight = exp2_of<T>(load(s + n * width<T>) - high[n]);
      store(s + n * width<T>, weight);
      part[n] += weight;
    }
  }
  for (int n = 0; n < N; ++n) state.sum[n] = state.sum[n] * factor[n] + part[n];
}

/// Adds the state of other keys. One that saw nothing changes no bit.
template <class T, int N>
[[gnu::noinline]] void merge(State<T, N>& into, const State<T, N>& from, std::int64_t d_v) {
  for (int n = 0; n < N; ++n) {
    const Vec<T> a = into.maximum[n], b = from.maximum[n], high = b > a ? b : a;
    const Vec<T> shift = shift_of<T>(high);
    const Vec<T> old = exp2_of<T>(a - shift), fresh = exp2_of<T>(b - shift);
    into.maximum[n] = high;
    into.sum[n] = into.sum[n] * old + from.sum[n] * fresh;
    for (std::int64_t d = 0; d < d_v; ++d) {
      const std::int64_t at = (d * N + n) * width<T>;
      store(into.values + at, Vec<T>(load(into.values + at) * old + load(from.values + at) * fresh));
    }
  }
}

/// Scores, in natural units until here, become cap * tanh(score / cap) in base 2.
template <class T>
void cap_step(T* scores, std::int64_t count, double softcap) {
  const T cap = static_cast<T>(softcap), scaled = static_cast<T>(softcap * constant_log2_e.high);
  for (T* s = scores; s < scores + count; s += width<T>) {
    store(s, Vec<T>(tanh_of(load(s) / cap) * scaled));
  }
}

/// What is added to the scores of row's keys [at, at + count): the bias; -infinity hides.
template <class T>
inline Vec<T> addend(const Row& row, std::int64_t at, std::int64_t count) {
  Vec<T> x{};
  if (row.bias.first != nullptr) x = load_numbers<T>(row.bias, at, count);
  if (row.attend == nullptr) return x;
  return load_flags<T>(row.attend, row.attend_step, at, count) ? x : splat(-infinity<T>);
}
/// Adds biases and hides what the boolean mask hides. A hidden score may be NaN until here.
template <class T, int N>
void bias_step(T* scores, const Row* rows, std::int64_t count, std::int64_t first,
               std::int64_t keys) {
  constexpr int W = width<T>;
  const Factor<T> log2_e(constant_log2_e);
  for (int n = 0; n < N; ++n) {
    for (std::int64_t k = 0; k < keys; k += W) {
      const std::int64_t some = least(W, keys - k);
      Vec<T> square[W];
      for (int r = 0; r < W; ++r) {
        square[r] = n * W + r < count ? addend<T>(rows[n * W + r], first + k, some) : Vec<T>{};
      }
      transpose<T>(square);
      for (std::int64_t i = 0; i < some; ++i) {
        T* s = scores + ((k + i) * N + n) * W;
        const Vec<T> sum = load(s) + log2_e.times(square[i]);
        store(s, square[i] <= -infinity<T> ? splat(-infinity<T>) : sum);
      }
    }
  }
}

/// ALiBi, and keys outside the rows' ranges.
template <class T, int N>
void range_step(T* scores, const Row* rows, std::int64_t count, std::int64_t first,
                std::int64_t keys, bool ranged) {
  constexpr int W = width<T>;
  for (int n = 0; n < N; ++n) {
    Vec<T> diagonal{}, slope{};
    Int<T> from{}, to = Int<T>{} + static_cast<std::int32_t>(keys);
    for (int r = 0; r < W && n * W + r < count; ++r) {
      const Row& row = rows[n * W + r];
      diagonal[r] = static_cast<T>(row.diagonal - first);
      slope[r] = static_cast<T>(row.slope * constant_log2_e.high);
      from[r] = static_cast<std::int32_t>(least(most(row.first - first, 0), keys));
      to[r] = static_cast<std::int32_t>(least(most(row.last - first, 0), keys));
    }
    const bool alibi = rows[0].has_slope;
    for (std::int32_t k = 0; k < keys; ++k) {
      T* s = scores + (k * N + n) * W;
      Vec<T> x = load(s);
      if (alibi) {
        const Vec<T> distance = diagonal - static_cast<T>(k);
        x = x - slope * (distance < 0 ? -distance : distance);
      }
      if (ranged) x = ((from > k) | (to <= k)) ? splat(-infinity<T>) : x;
      store(s, x);
    }
  }
}

}  // namespace qkvet::kernels::fast::QKVET_FLASH_ISA
