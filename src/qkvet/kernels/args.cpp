// The kernels' own reading of masks, biases and layouts, from the parts that the ABI hands over.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <qkvet/kernels/args.hpp>

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
  if (tensor.dtype.bits == 64) return reinterpret_cast<const double*>(base_of(tensor))[offset];
  return static_cast<double>(reinterpret_cast<const float*>(base_of(tensor))[offset]);
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

int accept(const qkvet_args& args, int bits, qkvet_error* why) {
  const auto is_float = [](const qkvet_tensor* tensor, int width) {
    return tensor == nullptr || (tensor->dtype.code == QKVET_FLOAT && tensor->dtype.bits == width);
  };
  const auto is_number = [&](const qkvet_tensor* tensor) {
    return is_float(tensor, 32) || is_float(tensor, 64);
  };
  for (const qkvet_tensor* tensor :
       {args.q, args.k, args.v, static_cast<const qkvet_tensor*>(args.o),
        static_cast<const qkvet_tensor*>(args.lse)}) {
    if (!is_float(tensor, bits)) {
      return refuse(QKVET_UNSUPPORTED, "q, k, v, o and lse must have one supported format", why);
    }
  }
  const qkvet_tensor* bias = args.mask == nullptr ? nullptr : args.mask->bias;
  if (!is_number(bias) || !is_number(args.sinks) || !is_number(args.alibi_slopes)) {
    return refuse(QKVET_UNSUPPORTED, "bias, sinks and ALiBi slopes must be f32 or f64", why);
  }
  const Dims dims = dims_of(args);
  if (dims.H_kv > 0 ? dims.H_q % dims.H_kv != 0 : dims.H_q > 0) {
    return refuse(QKVET_INVALID, "H_kv must divide H_q", why);
  }
  return QKVET_OK;
}

}  // namespace qkvet::kernels
