// One call's plan and one row's place, from the raw parts of the C ABI; compiled for every processor.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <qkvet/kernels/flash/job.hpp>
#include <qkvet/kernels/low.hpp>

namespace qkvet::kernels::fast {
namespace {

/// One row of a broadcast [B|1, H_q|1, L|1, S|1] tensor: its start in elements; `step` of the keys.
std::int64_t start_of(const qkvet_tensor& t, std::int64_t b, std::int64_t h, std::int64_t i,
                      std::int64_t& step) {
  const auto stride = [&](int axis) { return t.shape[axis] == 1 ? 0 : t.strides[axis]; };
  step = stride(3);
  return b * stride(0) + h * stride(1) + i * stride(2);
}

/// Line (b, h, i) of a tensor along its last axis.
Line line_of(const qkvet_tensor& t, std::int64_t b, std::int64_t h, std::int64_t i) {
  const Number format = number_of(t.dtype);
  const std::int64_t at = b * t.strides[0] + h * t.strides[1] + i * t.strides[2];
  return {base_of(t) + at * bytes_of(format), t.strides[3], format};
}

/// What the mask leaves of [first, last) for the row on `diagonal`.
void narrow_range(const qkvet_mask& mask, std::int64_t b, Row& row) {
  if (mask.key_start != nullptr) {
    row.first = std::max(row.first, mask.key_start[b]);
    row.last = std::min(row.last, mask.key_end[b]);
  }
  // Differences instead of sums: a window may be as wide as the type.
  const auto end_at = [&](std::int64_t right) {
    if (row.last - 1 - row.diagonal > right) row.last = row.diagonal + right + 1;
  };
  if (mask.causal != 0) end_at(0);
  if (mask.window_right >= 0) end_at(mask.window_right);
  if (mask.window_left >= 0 && row.diagonal - row.first > mask.window_left) {
    row.first = row.diagonal - mask.window_left;
  }
}

template <class T>
void store_as(const Job& job, const Row& row, const T* o) {
  const std::int64_t step = job.args->o->strides[3];
  for (std::int64_t d = 0; d < job.dims.d_v; ++d) {
    const auto x = static_cast<float>(o[d]);
    char* to = row.o + d * step * bytes_of(job.stored);
    if (job.stored == Number::b64) *reinterpret_cast<double*>(to) = static_cast<double>(o[d]);
    if (job.stored == Number::b32) *reinterpret_cast<float*>(to) = x;
    if (job.stored == Number::b16) *reinterpret_cast<F16*>(to) = narrow<F16>(x);
    if (job.stored == Number::brain16) *reinterpret_cast<BF16*>(to) = narrow<BF16>(x);
  }
}

}  // namespace

Constant scale_of(const qkvet_args& args) {
  const Constant& c = constant_log2_e;
  if (args.softcap > 0) return {args.scale, 0};
  const double high = args.scale * c.high;
  if (!std::isfinite(high)) return {high, 0};
  return {high, std::fma(args.scale, c.high, -high) + args.scale * c.low};
}

void find_row(const Job& job, std::int64_t b, std::int64_t head, std::int64_t n, Row& row) {
  const qkvet_args& args = *job.args;
  const Dims& dims = job.dims;
  const std::int64_t h = job.flat ? head * (dims.H_q / dims.H_kv) + n / dims.L : head;
  const std::int64_t i = job.flat ? n % dims.L : n;
  row = {};
  row.last = dims.S;
  row.diagonal = i;
  row.q = line_of(*args.q, b, h, i);
  row.o = const_cast<char*>(line_of(*args.o, b, h, i).first);
  row.o_step = args.o->strides[3];
  if (args.lse != nullptr) {
    const std::int64_t* strides = args.lse->strides;
    row.lse = base_of(*args.lse) + (b * strides[0] + h * strides[1] + i * strides[2]) *
                                       bytes_of(number_of(args.lse->dtype));
  }
  if (args.sinks != nullptr) row.sink = sink_of(args, h);
  row.has_slope = args.alibi_slopes != nullptr;
  if (row.has_slope) row.slope = number_at(*args.alibi_slopes, h * args.alibi_slopes->strides[0]);
  if (args.mask == nullptr) return;
  row.diagonal += args.mask->diagonal_offset[b];
  narrow_range(*args.mask, b, row);
  if (const qkvet_tensor* attend = args.mask->attend) {
    const std::int64_t start = start_of(*attend, b, h, i, row.attend_step);
    row.attend = reinterpret_cast<const std::uint8_t*>(base_of(*attend)) + start;
  }
  if (const qkvet_tensor* bias = args.mask->bias) {
    row.bias.format = number_of(bias->dtype);
    const std::int64_t start = start_of(*bias, b, h, i, row.bias.step);
    row.bias.first = base_of(*bias) + start * bytes_of(row.bias.format);
  }
}

Table table_of(const qkvet_tensor& t, std::int64_t b, std::int64_t head) {
  return {line_of(t, b, head, 0).first, t.strides[2], t.strides[3], number_of(t.dtype)};
}

std::int64_t bytes_of(Number format) {
  return format == Number::b64 ? 8 : format == Number::b32 ? 4 : 2;
}

Number number_of(qkvet_dtype dtype) {
  if (dtype.bits == 64) return Number::b64;
  if (dtype.bits == 32) return Number::b32;
  return same(dtype, bf16) ? Number::brain16 : Number::b16;
}

double element(const Line& line, std::int64_t n) {
  const char* at = line.first + n * line.step * bytes_of(line.format);
  if (line.format == Number::b64) return *reinterpret_cast<const double*>(at);
  if (line.format == Number::b32) return static_cast<double>(*reinterpret_cast<const float*>(at));
  if (line.format == Number::b16) return static_cast<double>(wide(*reinterpret_cast<const F16*>(at)));
  return static_cast<double>(wide(*reinterpret_cast<const BF16*>(at)));
}

bool sees(const Row& row, std::int64_t j) {
  if (j < row.first || j >= row.last) return false;
  if (row.attend != nullptr && row.attend[j * row.attend_step] == 0) return false;
  if (row.bias.first == nullptr) return true;
  const double bias = element(row.bias, j);
  return !(std::isinf(bias) && bias < 0);
}

void store_outputs(const Job& job, const Row& row, const float* o) { store_as(job, row, o); }
void store_outputs(const Job& job, const Row& row, const double* o) { store_as(job, row, o); }

void store_lse(const Job& job, const Row& row, double maximum, double sum) {
  // In more digits: both terms may be larger than the result. A sum of 0 comes with a maximum of -infinity.
  constexpr long double ln_2 = 0x1.62e42fefa39ef35793c7673007e5fp-1L;
  const auto lse =
      static_cast<double>(static_cast<long double>(maximum) * ln_2 + std::log(static_cast<long double>(sum)));
  if (job.stored == Number::b64) *reinterpret_cast<double*>(row.lse) = lse;
  else *reinterpret_cast<float*>(row.lse) = static_cast<float>(lse);
}

double tanh_of_one(double y) { return std::tanh(y); }

}  // namespace qkvet::kernels::fast
