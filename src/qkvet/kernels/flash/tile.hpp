// One tile of queries from loading to storing: the loop over blocks of keys.
#pragma once

#include <qkvet/kernels/flash/product.hpp>
#include <qkvet/kernels/flash/steps.hpp>

namespace qkvet::kernels::fast::QKVET_FLASH_ISA {

/// Which keys of a block the tile's rows see.
enum class Seen : std::uint8_t { none, some, all };

/// Up to N vectors of queries that share keys and values.
template <class T, int N>
class Tile {
 public:
  static constexpr int W = width<T>, lanes = N * W;
  static constexpr int few = W / 2;  ///< queries that value_row does faster; half of them key_rows

  /// `scratch` has elements(job) numbers.
  Tile(const Job& job, std::int64_t tile, T* scratch)
      : job_(job), b_(tile / job.tiles / job.heads), head_(tile / job.tiles % job.heads) {
    const std::int64_t t = job.tiles - 1 - tile % job.tiles;  // under causal masks the heaviest first
    const std::int64_t start = t * job.tile_rows;
    count_ = least(job.tile_rows, job.rows - start);
    first_ = common_last_ = job.dims.S;
    last_ = common_first_ = 0;
    for (std::int64_t r = 0; r < count_; ++r) {
      find_row(job, b_, head_, start + r, rows_[r]);
      add_range(rows_[r]);
    }
    const std::int64_t key_head = job.flat ? head_ : head_ / (job.dims.H_q / job.dims.H_kv);
    keys_ = table_of(*job.args->k, b_, key_head);
    values_ = table_of(*job.args->v, b_, key_head);
    q_ = scratch;
    s_ = q_ + padded(job.dims.d_k) * lanes;
    total_.values = s_ + block_keys * lanes;
    part_.values = total_.values + padded(job.dims.d_v) * lanes;
    out_ = part_.values + padded(job.dims.d_v) * lanes;
    k_room_ = out_ + W * padded(job.dims.d_v);
    v_room_ = k_room_ + block_keys * padded(job.dims.d_k);
  }
  static std::int64_t elements(const Job& job) {
    return padded(job.dims.d_k) * (lanes + block_keys) + block_keys * lanes +
           padded(job.dims.d_v) * (2 * lanes + W + block_keys);
  }

  /// All parts of the keys in order, each by itself, then merged: as run_part and merge_parts do.
  void run() {
    load_queries();
    begin_part(total_, 0);
    blocks(total_, 0);
    for (std::int64_t p = 1; p < job_.parts; ++p) {
      if (p * part_keys >= last_ || (p + 1) * part_keys <= first_) continue;
      begin_part(part_, p);
      blocks(part_, p);
      merge(total_, part_, job_.dims.d_v);
    }
    finish();
  }
  void run_part(std::int64_t p, char* to) {
    load_queries();
    begin_part(total_, p);
    blocks(total_, p);
    __builtin_memcpy(to, total_.maximum, sizeof(total_.maximum));
    __builtin_memcpy(to + sizeof(total_.maximum), total_.sum, sizeof(total_.sum));
    __builtin_memcpy(to + 2 * sizeof(total_.sum), total_.values, bytes_of_values());
  }
  void merge_parts(const char* from) {
    take(total_, from);
    for (std::int64_t p = 1; p < job_.parts; ++p) {
      take(part_, from + p * partial_bytes(job_));
      merge(total_, part_, job_.dims.d_v);
    }
    finish();
  }
  static std::int64_t partial_bytes(const Job& job) {
    return static_cast<std::int64_t>(sizeof(T)) * lanes * (2 + job.dims.d_v);
  }

 private:
  static std::int64_t padded(std::int64_t n) { return (n + W - 1) / W * W; }
  std::size_t bytes_of_values() const { return static_cast<std::size_t>(job_.dims.d_v * lanes) * sizeof(T); }
  void take(State<T, N>& state, const char* from) {
    __builtin_memcpy(state.maximum, from, sizeof(state.maximum));
    __builtin_memcpy(state.sum, from + sizeof(state.maximum), sizeof(state.sum));
    __builtin_memcpy(state.values, from + 2 * sizeof(state.sum), bytes_of_values());
  }

  void add_range(const Row& row) {
    common_first_ = most(common_first_, row.first);
    common_last_ = least(common_last_, row.last);
    if (row.first >= row.last) return;
    first_ = least(first_, row.first);
    last_ = most(last_, row.last);
  }

  /// q_[c][lane] = query * scale, and * log2 e unless a softcap comes first.
  void load_queries() {
    const Factor<T> scale(job_.scale);
    for (int n = 0; n < N; ++n) {
      for (std::int64_t c = 0; c < job_.dims.d_k; c += W) {
        const std::int64_t some = least(W, job_.dims.d_k - c);
        Vec<T> square[W];
        for (int r = 0; r < W; ++r) {
          square[r] = n * W + r < count_ ? load_numbers<T>(rows_[n * W + r].q, c, some) : Vec<T>{};
          square[r] = scale.times(square[r]);
        }
        transpose<T>(square);
        for (int i = 0; i < W; ++i) store(q_ + ((c + i) * N + n) * W, square[i]);
      }
    }
  }

  /// Part 0 begins with the sink: a key of weight 1 whose value is 0.
  void begin_part(State<T, N>& state, std::int64_t p) {
    state.clear(job_.dims.d_v);
    if (p > 0 || job_.args->sinks == nullptr) return;
    for (std::int64_t r = 0; r < count_; ++r) {
      const T sink = static_cast<T>(rows_[r].sink * constant_log2_e.high);
      state.maximum[r / W][r % W] = sink;
      state.sum[r / W][r % W] = sink <= -infinity<T> ? 0 : 1;
    }
  }

  /// Blocks begin at multiples of block_keys: bits do not depend on mates. What no row sees is left out.
  void blocks(State<T, N>& state, std::int64_t p) {
    const std::int64_t begin = most(first_, p * part_keys), end = least(last_, (p + 1) * part_keys);
    for (std::int64_t j = begin - begin % block_keys; j < end; j += block_keys) {
      const std::int64_t keys = least(block_keys, end - j);
      const Seen attended = attended_keys(j, keys);
      if (attended == Seen::none) continue;
      const Matrix<T> k = matrix_of<T>(keys_, j, keys, job_.dims.d_k, k_room_);
      score(k, keys);
      if (job_.args->softcap > 0) cap_step<T>(s_, keys * lanes, job_.args->softcap);
      const bool biased = attended == Seen::some || rows_[0].bias.first != nullptr;
      const bool ranged = j < common_first_ || j + keys > common_last_;
      if (biased) bias_step<T, N>(s_, rows_, count_, j, keys);
      if (ranged || rows_[0].has_slope) range_step<T, N>(s_, rows_, count_, j, keys, ranged);
      Vec<T> factor[N];
      softmax_step<T, N>(s_, keys, state, factor);
      add_values(state, factor, j, keys, biased || ranged);
    }
  }

  void score(const Matrix<T>& k, std::int64_t keys) {
    if (N == 1 && 2 * count_ <= few) {
      for (std::int64_t n = 0; n < keys; ++n) store(s_ + n * lanes, Vec<T>{});
      key_rows<T>(k.first, k.stride, keys, q_, count_, job_.dims.d_k, s_);
    } else {
      key_product<T, N>(k.first, k.stride, keys, q_, job_.dims.d_k, s_);
    }
  }

  [[nodiscard]] Seen attended_keys(std::int64_t first, std::int64_t keys) const {
    if (rows_[0].attend == nullptr) return Seen::all;
    Int<T> seen{};
    for (std::int64_t r = 0; r < count_; ++r) {
      for (std::int64_t k = 0; k < keys; k += W) {
        const std::int64_t some = least(W, keys - k);
        seen -= load_flags<T>(rows_[r].attend, rows_[r].attend_step, first + k, some);
      }
    }
    std::int64_t sum = 0;
    for (int i = 0; i < W; ++i) sum += seen[i];
    return sum == 0 ? Seen::none : sum == keys * count_ ? Seen::all : Seen::some;
  }

  /// Values that some row must not see may be NaN or infinite, and 0 * NaN is NaN: then they are
  /// added to those rows only that see them.
  void add_values(State<T, N>& state, const Vec<T> (&factor)[N], std::int64_t j, std::int64_t keys,
                  bool hides) {
    const std::int64_t d_v = job_.dims.d_v;
    Matrix<T> v = matrix_of<T>(values_, j, keys, d_v, v_room_);
    if (!hides || all_finite(v, keys, d_v)) {
      weigh(v, state, factor, keys);
      return;
    }
    T* finite = v_room_;  // in place, where v is a copy: the rest is read again below
    const std::int64_t stride = padded(d_v);
    for (std::int64_t k = 0; k < keys; ++k) {
      for (std::int64_t d = 0; d < d_v; ++d) {
        const T x = v.first[k * v.stride + d];
        finite[k * stride + d] = is_finite(x) ? x : 0;
      }
    }
    weigh({finite, stride}, state, factor, keys);
    for (std::int64_t k = 0; k < keys; ++k) {
      const std::int64_t start = (j + k) * values_.step * bytes_of(values_.format);
      const Line line{values_.first + start, values_.inner, values_.format};
      for (std::int64_t d = 0; d < d_v; ++d) {
        const T x = static_cast<T>(element(line, d));
        for (std::int64_t r = 0; !is_finite(x) && r < count_; ++r) {
          if (sees(rows_[r], j + k)) state.values[d * lanes + r] += s_[k * lanes + r] * x;
        }
      }
    }
  }

  void weigh(const Matrix<T>& v, State<T, N>& state, const Vec<T> (&factor)[N], std::int64_t keys) {
    const std::int64_t d_v = job_.dims.d_v;
    if (N > 1 || count_ > few) {
      value_product<T, N>(v.first, v.stride, d_v, s_, keys, factor, state.values);
      return;
    }
    for (std::int64_t r = 0; r < count_; ++r) {
      value_row<T>(v.first, v.stride, d_v, s_ + r, lanes, keys, factor[0][r], state.values + r);
    }
  }

  /// Outputs = values / sum; a row without a key that counts is zero, its LSE the sink or -inf.
  void finish() {
    const std::int64_t d_v = job_.dims.d_v, stride = padded(d_v);
    for (int n = 0; n < N; ++n) {
      const Vec<T> sum = total_.sum[n];
      const Vec<T> inverse = sum <= 0 ? Vec<T>{} : 1 / sum;
      for (std::int64_t d = 0; d < d_v; d += W) {
        Vec<T> square[W];
        for (int i = 0; i < W; ++i) {
          square[i] = d + i < d_v ? load(total_.values + ((d + i) * N + n) * W) * inverse : Vec<T>{};
        }
        transpose<T>(square);
        for (int r = 0; r < W; ++r) store(out_ + r * stride + d, square[r]);
      }
      for (int r = 0; r < W && n * W + r < count_; ++r) store_row(n * W + r, out_ + r * stride);
    }
  }
  void store_row(std::int64_t r, const T* from) {
    const Row& row = rows_[r];
    if (job_.stored == own_format<T> && row.o_step == 1) {
      __builtin_memcpy(row.o, from, static_cast<std::size_t>(job_.dims.d_v) * sizeof(T));
    } else {
      store_outputs(job_, row, from);
    }
    if (row.lse == nullptr) return;
    store_lse(job_, row, static_cast<double>(total_.maximum[r / W][r % W]),
              static_cast<double>(total_.sum[r / W][r % W]));
  }

  const Job& job_;
  std::int64_t b_, head_, count_ = 0;
  std::int64_t first_, last_;                // keys that some row may see
  std::int64_t common_first_, common_last_;  // keys that all rows see, but for masks and biases
  Table keys_, values_;
  T *q_, *s_, *out_, *k_room_, *v_room_;
  State<T, N> total_, part_;
  Row rows_[lanes];
};

}  // namespace qkvet::kernels::fast::QKVET_FLASH_ISA
