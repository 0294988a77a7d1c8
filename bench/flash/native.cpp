// What bench/flash/drive.py calls: flash, an attention by Eigen, and the brackets of a measurement (FMA peak,
// ideal inner step, read loop). Each function repeats its work and returns seconds: processor time of the
// calling thread for one thread, wall time for more.
#include <qkvet/kernels/flash.h>

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <limits>
#include <vector>

namespace {

double now(int threads) {
  timespec t{};
  clock_gettime(threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <int Bytes>
struct Packet {
  typedef float type __attribute__((vector_size(Bytes)));
};

/// Independent chains of multiply-adds in registers, then the inner step of a product from the first
/// cache: `rows` broadcasts, 3 loads, 3 rows multiply-adds.
template <int Bytes, int rows>
double fma_rate(bool step, std::int64_t rounds) {
  using Vec = typename Packet<Bytes>::type;
  constexpr int W = Bytes / 4;
  alignas(64) static float b[32 * 3 * W], a[32 * rows];
  Vec sums[rows][3] = {};
  Vec x = Vec{} + 0.5F, y[3] = {x, x, x};
  const double start = now(1);
  for (std::int64_t n = 0; n < rounds; ++n) {
    for (int k = 0; k < 32; ++k) {
      if (step) {
#pragma GCC unroll 3
        for (int v = 0; v < 3; ++v) {
          std::memcpy(&y[v], b + (k * 3 + v) * W, sizeof(Vec));
          asm("" : "+v"(y[v]));
        }
      }
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r) {
        if (step) x = Vec{} + a[k * rows + r];
#pragma GCC unroll 3
        for (int v = 0; v < 3; ++v) sums[r][v] += x * y[v];
      }
#pragma GCC unroll 16
      for (int r = 0; r < rows; ++r) asm volatile("" : "+v"(sums[r][0]), "+v"(sums[r][1]), "+v"(sums[r][2]));
    }
    asm volatile("" : : : "memory");
  }
  const double seconds = now(1) - start;
  return 2.0 * W * 3 * rows * 32 * static_cast<double>(rounds) / seconds / 1e9;
}

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const Matrix>;

}  // namespace

extern "C" {

struct bench_call {
  std::int64_t B, H_q, H_kv, L, S, d;
  std::int32_t causal, threads, window, stored;  // stored: bits, negative for bf16
  const void *q, *k, *v;
  const std::uint8_t* attend;  // [L,S] or null
  const float* bias;           // [L,S] or null
  double softcap;
  const float* slopes;  // [H_q] or null
  void* o;
};

double bench_flash(const bench_call* c, const char* isa, std::int64_t reps) {
  const std::uint8_t bits = static_cast<std::uint8_t>(std::abs(c->stored));
  const qkvet_dtype stored{static_cast<std::uint8_t>(c->stored < 0 ? QKVET_BFLOAT : QKVET_FLOAT), bits, 1};
  std::int64_t shape[8][4], strides[8][4];
  int n = 0;
  const auto tensor = [&](const void* data, qkvet_dtype dtype, std::int64_t B, std::int64_t H, std::int64_t L,
                          std::int64_t d) {
    const std::int64_t extents[4] = {B, H, L, d}, steps[4] = {H * L * d, L * d, d, 1};
    std::memcpy(shape[n], extents, sizeof(extents));
    std::memcpy(strides[n], steps, sizeof(steps));
    qkvet_tensor t{const_cast<void*>(data), 1, 0, 4, dtype, shape[n], strides[n], 0};
    ++n;
    return t;
  };
  const qkvet_dtype f32{QKVET_FLOAT, 32, 1}, boolean{QKVET_BOOL, 8, 1};
  const qkvet_tensor q = tensor(c->q, stored, c->B, c->H_q, c->L, c->d);
  const qkvet_tensor k = tensor(c->k, stored, c->B, c->H_kv, c->S, c->d);
  const qkvet_tensor v = tensor(c->v, stored, c->B, c->H_kv, c->S, c->d);
  qkvet_tensor o = tensor(c->o, stored, c->B, c->H_q, c->L, c->d);
  const qkvet_tensor attend = tensor(c->attend, boolean, 1, 1, c->L, c->S);
  const qkvet_tensor bias = tensor(c->bias, f32, 1, 1, c->L, c->S);
  qkvet_tensor slopes = tensor(c->slopes, f32, 1, 1, 1, c->H_q);
  slopes.ndim = 1;
  slopes.shape[0] = c->H_q;
  slopes.strides[0] = 1;
  const std::vector<std::int64_t> offsets(static_cast<std::size_t>(c->B), 0);
  const qkvet_mask mask{sizeof(qkvet_mask), c->causal, QKVET_DIAGONAL_TOP_LEFT, offsets.data(),
                        c->window > 0 ? c->window : -1, c->window > 0 ? 0 : -1, nullptr, nullptr,
                        c->attend != nullptr ? &attend : nullptr, c->bias != nullptr ? &bias : nullptr};
  const double scale = 1 / std::sqrt(static_cast<double>(c->d));
  const qkvet_args args{sizeof(qkvet_args), QKVET_DEFAULT_SCALE, &q, &k, &v, &o, nullptr, scale, c->softcap,
                        c->threads, &mask, c->slopes != nullptr ? &slopes : nullptr, nullptr, 0};
  const double start = now(c->threads);
  for (std::int64_t r = 0; r < reps; ++r) {
    if (qkvet_flash(&args, isa, nullptr) != QKVET_OK) return -1;
  }
  return now(c->threads) - start;
}

/// The textbook way by Eigen: S = Q K^T, softmax, P V; f32, one thread.
double bench_eigen(const bench_call* c, std::int64_t reps) {
  const auto* q = static_cast<const float*>(c->q);
  const auto* k = static_cast<const float*>(c->k);
  const auto* v = static_cast<const float*>(c->v);
  auto* o = static_cast<float*>(c->o);
  const float scale = 1 / std::sqrt(static_cast<float>(c->d));
  Matrix s(c->L, c->S);
  const double start = now(1);
  for (std::int64_t r = 0; r < reps; ++r) {
    for (std::int64_t h = 0; h < c->B * c->H_q; ++h) {
      const Rows Q(q + h * c->L * c->d, c->L, c->d), K(k + h * c->S * c->d, c->S, c->d), V(v + h * c->S * c->d, c->S, c->d);
      s.noalias() = Q * K.transpose();
      for (std::int64_t i = 0; i < c->L; ++i) {
        if (c->causal != 0) s.row(i).tail(c->S - i - 1).setConstant(-std::numeric_limits<float>::infinity());
        auto row = s.row(i).array();
        row = ((row - row.maxCoeff()) * scale).exp();
        row *= 1 / row.sum();
      }
      Eigen::Map<Matrix>(o + h * c->L * c->d, c->L, c->d).noalias() = s * V;
    }
  }
  return now(1) - start;
}

/// GFLOP/s of one core by vectors of so many bytes; `step`: of the ideal inner step.
double bench_fma(std::int32_t bytes, std::int32_t step) {
#if defined(__AVX512F__)
  if (bytes == 64) return fma_rate<64, 8>(step != 0, 6000);
#endif
  return bytes >= 32 ? fma_rate<32, 4>(step != 0, 12000) : fma_rate<16, 4>(step != 0, 12000);
}

/// Reads the bytes, 1024 at a time.
double bench_read(const float* from, std::int64_t bytes, std::int64_t reps) {
  using Vec = Packet<64>::type;
  Vec sums[4] = {};
  const double start = now(1);
  for (std::int64_t r = 0; r < reps; ++r) {
    for (std::int64_t n = 0; n + 256 <= bytes; n += 256) {
      for (int j = 0; j < 4; ++j) {
        Vec x;
        std::memcpy(&x, reinterpret_cast<const char*>(from) + n + 64 * j, 64);
        sums[j] += x;
      }
    }
    asm volatile("" : "+m"(sums));
  }
  return now(1) - start;
}
}
