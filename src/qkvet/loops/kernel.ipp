// The loops of the first rung over packs of eight doubles; the file that includes this one has
// chosen the packs and defines QKVET_LOOPS_KERNELS. Nothing here may be an ordinary inline
// function of a header: the linker keeps one copy of those, and it could be the one that was
// compiled for a processor that is not there.
#include <cstdint>

#include "exp_constants.hpp"
#include "kernels.hpp"

namespace qkvet::loops {
namespace {

/// exp(t) for t <= 0. docs/proofs/README.md proves |w / exp(t) - 1| <= 2^-52 on [-700, 0].
QKVET_INLINE Pack exp_of(Pack t) {
  const Pack z = fma(t, all(log2_e), all(magic));
  const Pack minus_k = sub(all(magic), z);
  const Pack r = fma(minus_k, all(ln2_low), fma(minus_k, all(ln2_high), t));
  Pack q = all(exp_coefficients[9]);
  q = fma(q, r, all(exp_coefficients[8]));
  q = fma(q, r, all(exp_coefficients[7]));
  q = fma(q, r, all(exp_coefficients[6]));
  q = fma(q, r, all(exp_coefficients[5]));
  q = fma(q, r, all(exp_coefficients[4]));
  q = fma(q, r, all(exp_coefficients[3]));
  q = fma(q, r, all(exp_coefficients[2]));
  q = fma(q, r, all(exp_coefficients[1]));
  q = fma(q, r, all(exp_coefficients[0]));
  const Pack y = fma(mul(r, r), q, r);
  const Pack w = mul(add(all(1), y), power_of_two(z));
  return select(at_least(t, all(flush_below)), w, all(0));
}

// Two packs for each of R queries, as named members so that they live in registers.
template <int R>
struct Tile {
  Pack a, b;
  Tile<R - 1> rest;
};
template <>
struct Tile<0> {};

template <int R>
QKVET_INLINE void clear(Tile<R>& t) {
  if constexpr (R > 0) {
    t.a = t.b = all(0);
    clear(t.rest);
  }
}
// t[r] += x[r * stride] * (a, b)
template <int R>
QKVET_INLINE void multiply_add(Tile<R>& t, const double* x, std::int64_t stride, const Pack& a,
                               const Pack& b) {
  if constexpr (R > 0) {
    const Pack factor = all(*x);
    t.a = fma(factor, a, t.a);
    t.b = fma(factor, b, t.b);
    multiply_add(t.rest, x + stride, stride, a, b);
  }
}
template <int R>
QKVET_INLINE void set(const Tile<R>& t, double* to, std::int64_t stride) {
  if constexpr (R > 0) {
    store(to, t.a);
    store(to + lanes, t.b);
    set(t.rest, to + stride, stride);
  }
}
template <int R>
QKVET_INLINE void add_to(const Tile<R>& t, double* to, std::int64_t stride) {
  if constexpr (R > 0) {
    store(to, add(load(to), t.a));
    store(to + lanes, add(load(to + lanes), t.b));
    add_to(t.rest, to + stride, stride);
  }
}
template <int R>
QKVET_INLINE void put(const Tile<R>& t, bool first, double* to, std::int64_t stride) {
  if (first) {
    set(t, to, stride);
  } else {
    add_to(t, to, stride);
  }
}

// One block of keys against R queries.
template <int R>
QKVET_INLINE void dot_tile(const double* q, const double* keys, std::int64_t d_k,
                           std::int64_t stride, double* dots) {
  for (std::int64_t c = 0; c < d_k || c == 0; c += chunk) {
    const std::int64_t end = c + chunk < d_k ? c + chunk : d_k;
    Tile<R> t;
    clear(t);
    for (std::int64_t n = c; n < end; ++n) {
      const double* const k = keys + n * key_block;
      multiply_add(t, q + n * group, 1, load(k), load(k + lanes));
    }
    put(t, c == 0, dots, stride);
  }
}

void dots_of(const double* q, const double* keys, std::int64_t d_k, std::int64_t S_pad,
             std::int64_t rows, std::int64_t stride, double* dots) {
  for (std::int64_t j = 0; j < S_pad; j += key_block, keys += d_k * key_block) {
    std::int64_t r = 0;
    for (; r + tile_rows <= rows; r += tile_rows) {
      dot_tile<tile_rows>(q + r, keys, d_k, stride, dots + r * stride + j);
    }
    for (; r < rows; ++r) dot_tile<1>(q + r, keys, d_k, stride, dots + r * stride + j);
  }
}

// One tile of keys and one block of columns, R queries.
template <int R>
QKVET_INLINE void value_tile(const double* w, const double* values, std::int64_t keys, bool first,
                             std::int64_t d_pad, std::int64_t stride, double* out) {
  Tile<R> t;
  clear(t);
  for (std::int64_t n = 0; n < keys; ++n) {
    const double* const v = values + n * value_block;
    multiply_add(t, w + n, stride, load(v), load(v + lanes));
  }
  put(t, first, out, d_pad);
}

void values_of(const double* w, const double* values, std::int64_t S_pad, std::int64_t d_pad,
               std::int64_t rows, std::int64_t stride, double* out) {
  for (std::int64_t d = 0; d < d_pad; d += value_block, values += S_pad * value_block) {
    for (std::int64_t j = 0; j < S_pad; j += key_tile) {
      const std::int64_t keys = j + key_tile < S_pad ? key_tile : S_pad - j;
      const double* const v = values + j * value_block;
      std::int64_t r = 0;
      for (; r + tile_rows <= rows; r += tile_rows) {
        value_tile<tile_rows>(w + r * stride + j, v, keys, j == 0, d_pad, stride,
                              out + r * d_pad + d);
      }
      for (; r < rows; ++r) {
        value_tile<1>(w + r * stride + j, v, keys, j == 0, d_pad, stride, out + r * d_pad + d);
      }
    }
  }
}

// One query against all keys: the chains of dots_of, and the same of the absolute values.
void row_dots_of(const double* q, const double* keys, std::int64_t d_k, std::int64_t S_pad,
                 double* dots, double* sizes) {
  for (std::int64_t j = 0; j < S_pad; j += key_block, keys += d_k * key_block) {
    for (std::int64_t c = 0; c < d_k || c == 0; c += chunk) {
      const std::int64_t end = c + chunk < d_k ? c + chunk : d_k;
      Tile<1> t, size;
      clear(t);
      clear(size);
      for (std::int64_t n = c; n < end; ++n) {
        const Pack a = load(keys + n * key_block), b = load(keys + n * key_block + lanes);
        const Pack x = all(q[n]), x_size = abs(x);
        t.a = fma(x, a, t.a);
        t.b = fma(x, b, t.b);
        size.a = fma(x_size, abs(a), size.a);
        size.b = fma(x_size, abs(b), size.b);
      }
      put(t, c == 0, dots + j, 0);
      put(size, c == 0, sizes + j, 0);
    }
  }
}

// One row of weights w on V, and of errors t on |V|: the chains of values_of.
void row_values_of(const double* w, const double* t, const double* values, std::int64_t S_pad,
                   std::int64_t d_pad, double* out, double* spread) {
  for (std::int64_t d = 0; d < d_pad; d += value_block) {
    for (std::int64_t j = 0; j < S_pad; j += key_tile) {
      const std::int64_t end = j + key_tile < S_pad ? j + key_tile : S_pad;
      Tile<1> sum, moved;
      clear(sum);
      clear(moved);
      for (std::int64_t n = j; n < end; ++n) {
        const double* const v = values + n * value_block;
        const Pack a = load(v), b = load(v + lanes);
        const Pack weight = all(w[n]), error = all(t[n]);
        sum.a = fma(weight, a, sum.a);
        sum.b = fma(weight, b, sum.b);
        moved.a = fma(error, abs(a), moved.a);
        moved.b = fma(error, abs(b), moved.b);
      }
      put(sum, j == 0, out + d, 0);
      put(moved, j == 0, spread + d, 0);
    }
    values += S_pad * value_block;
  }
}

void scale_scores(double* s, double* z, const double* norms, double scale, double dot_part,
                  double score_part, std::int64_t S_pad) {
  for (std::int64_t j = 0; j < S_pad; j += lanes) {
    const Pack x = mul(load(s + j), all(scale));
    store(s + j, x);
    store(z + j, fma(all(dot_part), load(norms + j), mul(all(score_part), abs(x))));
  }
}

// Lanes in a fixed order.
QKVET_INLINE double sum_of(Pack a) {
  double x[lanes];
  store(x, a);
  return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]));
}
QKVET_INLINE double max_of(Pack a) {
  double x[lanes];
  store(x, a);
  double most = x[0];
  for (int n = 1; n < lanes; ++n) most = x[n] > most ? x[n] : most;
  return most;
}

double largest_of(const double* s, std::int64_t S_pad) {
  Pack a = load(s), b = a;
  for (std::int64_t j = 0; j < S_pad; j += key_block) {
    a = max(load(s + j), a);
    b = max(load(s + j + lanes), b);
  }
  return max_of(max(a, b));
}

WeightSums weights_of(double* s, double* z, double M, std::int64_t S_pad) {
  constexpr double argument = 0x1p-53 * (1 + 0x1p-50);  // docs/ladder.md 3.2
  Pack sum = all(0), spread = all(0), z_max = all(0), reach = all(hidden_score);
  for (std::int64_t tile = 0; tile < S_pad; tile += key_tile) {
    const std::int64_t end = tile + key_tile < S_pad ? tile + key_tile : S_pad;
    Pack part = all(0);
    for (std::int64_t j = tile; j < end; j += lanes) {
      const Pack t = sub(load(s + j), all(M));
      const Pack w = exp_of(t);
      const Pack error = fma(all(argument), abs(t), load(z + j));
      const Mask live = at_least(t, all(flush_below));
      store(s + j, w);
      store(z + j, error);
      part = add(part, w);
      spread = fma(w, fma(error, error, error), spread);
      z_max = max(select(live, error, all(0)), z_max);
      reach = max(select(live, all(hidden_score), add(t, error)), reach);
    }
    sum = add(sum, part);
  }
  return {sum_of(sum), sum_of(spread), max_of(z_max), max_of(reach)};
}

void round_outputs(const double* numerators, const double* value_max, const RoundingTest& test,
                   std::int64_t d_pad, double* outputs, double* rounded) {
  constexpr double below_half = 1 - 0x1p-40;  // docs/ladder.md 4
  const Pack not_a_number = all(__builtin_nan(""));
  for (std::int64_t d = 0; d < d_pad; d += lanes) {
    const Pack o = div(load(numerators + d), all(test.sum));
    store(outputs + d, o);
    const Pack size = abs(o);
    const Pack error = add(
        fma(all(test.alpha), load(value_max + d), mul(all(test.beta), size)), all(test.tau));
    const Pack power = leading_power(o);
    const Pack shift = mul(power, all(test.ulp_shift));
    const Pack y = sub(add(o, shift), shift);
    const Pack half = mul(power, all(test.half_ulp));
    const Pack room = mul(half, all(below_half));
    const Mask near = at_least(room, add(abs(sub(o, y)), error));
    const Mask sharp = at_least(mul(room, all(0.5)), error);
    const Mask range = both(at_least(size, all(test.least)), at_least(all(test.most), size));
    store(rounded + d, select(both(both(near, sharp), range), y, not_a_number));
  }
}

void compensated_dots_of(const double* q, const double* keys, std::int64_t d_k, std::int64_t S_pad,
                         double* high, double* low) {
  for (std::int64_t j = 0; j < S_pad; j += lanes) {
    const double* const block = keys + (j / key_block) * key_block * d_k + j % key_block;
    Pack sum = all(0), rest = all(0);
    for (std::int64_t c = 0; c < d_k; ++c) {
      const Pack x = all(q[c * group]), k = load(block + c * key_block);
      const Pack p = mul(x, k);
      const Pack p_error = fma(x, k, sub(all(0), p));
      const Pack next = add(sum, p);  // Knuth's two-sum.
      const Pack seen = sub(next, sum);
      const Pack s_error = add(sub(sum, sub(next, seen)), sub(p, seen));
      rest = add(rest, add(p_error, s_error));
      sum = next;
    }
    store(high + j, sum);
    store(low + j, rest);
  }
}

void exp_all(const double* x, double* y, std::int64_t count) {
  for (std::int64_t n = 0; n < count; n += lanes) store(y + n, exp_of(load(x + n)));
}

}  // namespace

extern const Kernels QKVET_LOOPS_KERNELS;
const Kernels QKVET_LOOPS_KERNELS = {
    QKVET_LOOPS_NAME, dots_of,   scale_scores,  largest_of,          weights_of,
    values_of,         round_outputs, compensated_dots_of, row_dots_of,
    row_values_of,     exp_all};

}  // namespace qkvet::loops
