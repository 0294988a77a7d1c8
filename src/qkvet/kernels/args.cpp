// The kernels' own reading of masks, biases and layouts, from the parts that the ABI hands over.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <qkvet/kernels/args.hpp>
#include <qkvet/kernels/low.hpp>

namespace qkvet::kernels {

Dims dims_of(const qkvet_args& args) {
  const std::int64_t* q = args.q->shape;
  const std::int64_t* k = args.k->shape;
  return {q[0], q[1], k[1], q[2], k[2], q[3], args.v->shape[3]};
}

char* base_of(const qkvet_tensor& tensor) {
  return static_cast<char*>(tensor.data) + tensor.byte_offset;
}

double number_at(const qkvet_tensor& tensor, std::int64_t offset) {
  const char* base = base_of(tensor);
  if (tensor.dtype.bits == 64) return reinterpret_cast<const double*>(base)[offset];
  if (tensor.dtype.bits == 32) {
    return static_cast<double>(reinterpret_cast<const float*>(base)[offset]);
  }
  return static_cast<double>(same(tensor.dtype, bf16)
                                 ? wide(reinterpret_cast<const BF16*>(base)[offset])
                                 : wide(reinterpret_cast<const F16*>(base)[offset]));
}

double sink_of(const qkvet_args& args, std::int64_t h) {
  if (args.sinks == nullptr) return -std::numeric_limits<double>::infinity();
  return number_at(*args.sinks, h * args.sinks->strides[0]);
}

RowMask::Line RowMask::line(const qkvet_tensor* tensor, std::int64_t b, std::int64_t h,
                            std::int64_t i) {
  if (tensor == nullptr) return {};
  const auto step = [&](int axis) { return tensor->shape[axis] == 1 ? 0 : tensor->strides[axis]; };
  return {tensor, b * step(0) + h * step(1) + i * step(2), step(3)};
}

RowMask::RowMask(const qkvet_args& args, std::int64_t b, std::int64_t h, std::int64_t i)
    : last_(args.k->shape[2]), diagonal_(i) {
  if (args.alibi_slopes != nullptr) {
    slope_ = number_at(*args.alibi_slopes, h * args.alibi_slopes->strides[0]);
  }
  const qkvet_mask* mask = args.mask;
  if (mask == nullptr) return;
  diagonal_ += mask->diagonal_offset[b];
  if (mask->key_start != nullptr) {
    first_ = std::max(first_, mask->key_start[b]);
    last_ = std::min(last_, mask->key_end[b]);
  }
  // Differences instead of sums: a window may be as wide as the type.
  const auto end_at = [&](std::int64_t right) {
    if (last_ - 1 - diagonal_ > right) last_ = diagonal_ + right + 1;
  };
  if (mask->causal != 0) end_at(0);
  if (mask->window_right >= 0) end_at(mask->window_right);
  if (mask->window_left >= 0 && diagonal_ - first_ > mask->window_left) {
    first_ = diagonal_ - mask->window_left;
  }
  attend_ = line(mask->attend, b, h, i);
  bias_ = line(mask->bias, b, h, i);
}

bool RowMask::visible(std::int64_t j) const {
  if (j < first_ || j >= last_) return false;
  if (attend_.tensor != nullptr && reinterpret_cast<const std::uint8_t*>(base_of(
                                       *attend_.tensor))[attend_.start + j * attend_.step] == 0) {
    return false;
  }
  if (bias_.tensor == nullptr) return true;
  const double bias = number_at(*bias_.tensor, bias_.start + j * bias_.step);
  return !(std::isinf(bias) && bias < 0);
}

double RowMask::bias(std::int64_t j) const {
  double sum = 0;
  if (bias_.tensor != nullptr) sum += number_at(*bias_.tensor, bias_.start + j * bias_.step);
  const double distance = std::abs(static_cast<double>(diagonal_ - j));
  return sum - slope_ * distance;
}

int refuse(int status, const char* message, qkvet_error* why) {
  if (why != nullptr) {
    std::strncpy(why->message, message, sizeof(why->message) - 1);
    why->message[sizeof(why->message) - 1] = '\0';
  }
  return status;
}

int accept(const qkvet_args& args, qkvet_dtype stored, qkvet_error* why) {
  const auto is = [](const qkvet_tensor* tensor, qkvet_dtype wanted) {
    return tensor == nullptr || same(tensor->dtype, wanted);
  };
  const auto is_number = [&](const qkvet_tensor* tensor) {
    return is(tensor, f64) || is(tensor, f32) || is(tensor, f16) || is(tensor, bf16);
  };
  for (const qkvet_tensor* tensor :
       {args.q, args.k, args.v, static_cast<const qkvet_tensor*>(args.o)}) {
    if (!is(tensor, stored)) {
      return refuse(QKVET_UNSUPPORTED, "q, k, v and o must have one supported format", why);
    }
  }
  if (!is(args.lse, same(stored, f64) ? f64 : f32)) {
    return refuse(QKVET_UNSUPPORTED, "the lse must be f64 beside f64 and f32 beside all else", why);
  }
  const qkvet_tensor* bias = args.mask == nullptr ? nullptr : args.mask->bias;
  if (!is_number(bias) || !is_number(args.sinks) || !is_number(args.alibi_slopes)) {
    return refuse(QKVET_UNSUPPORTED,
                  "bias, sinks and ALiBi slopes must be f64, f32, f16 or bf16", why);
  }
  const Dims dims = dims_of(args);
  if (dims.H_kv > 0 ? dims.H_q % dims.H_kv != 0 : dims.H_q > 0) {
    return refuse(QKVET_INVALID, "H_kv must divide H_q", why);
  }
  return QKVET_OK;
}

}  // namespace qkvet::kernels
