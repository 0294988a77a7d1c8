// Simpler values: each step turns every value of a tensor, then of halves, quarters, ... single
// places, into a simpler one; values that are simpler already stay.
#include <algorithm>
#include <cmath>
#include <limits>
#include <qkvet/problem/simpler_parts.hpp>

namespace qkvet::detail {
namespace {

constexpr std::size_t most_places = 128;  // tried per chunk size

double nearest_integer(double x) {
  return std::fabs(x) < 1e6 ? std::copysign(std::floor(std::fabs(x) + 0.5), x) : x;
}

/// The next power of two, or integer, away from 0: what is left of "some value above 3" is 4.
double power_above(double x) {
  const double power = shorter(x, 1);
  return std::isfinite(x) && std::fabs(power) < std::fabs(x) ? 2 * power : power;
}
double integer_above(double x) {
  return std::fabs(x) < 1e6 ? std::copysign(std::ceil(std::fabs(x)), x) : x;
}
double to_zero(double) { return 0.0; }
double to_one(double) { return 1.0; }
double to_minus_one(double) { return -1.0; }
double to_size(double x) { return std::fabs(x); }
double to_two_bits(double x) { return shorter(x, 2); }
double to_four_bits(double x) { return shorter(x, 4); }
double to_eight_bits(double x) { return shorter(x, 8); }
double to_power(double x) { return shorter(x, 1); }
double to_half(double x) { return std::isfinite(x) ? std::trunc(x / 2) : x; }
double to_less(double x) { return std::fabs(x) < 1e6 ? std::trunc(x) - std::copysign(1.0, x) : x; }
double towards_exponent_zero(double x) {
  const int exponent = std::isfinite(x) && std::fabs(x) > 0 ? std::ilogb(x) : 0;
  return exponent == 0 ? x : std::ldexp(x, exponent / 2 - exponent);
}
double to_finite(double x) { return std::isinf(x) ? std::copysign(1024.0, x) : x; }
double to_plain_nan(double x) { return x; }  // encoding a NaN gives the default one

using Step = double (*)(double);

constexpr Step steps[] = {to_zero,       to_one,        to_minus_one, nearest_integer,
                          integer_above, to_power,      power_above,  to_two_bits,
                          to_four_bits,  to_eight_bits, to_size,      to_finite,
                          to_plain_nan,  to_half,       to_less,      towards_exponent_zero};

using Access = Tensor* (*)(Problem&);

constexpr Access tensors[] = {
    [](Problem& p) -> Tensor* { return &p.v; },
    [](Problem& p) -> Tensor* { return &p.k; },
    [](Problem& p) -> Tensor* { return &p.q; },
    [](Problem& p) -> Tensor* { return p.mask.bias ? &*p.mask.bias : nullptr; },
    [](Problem& p) -> Tensor* { return p.sinks ? &*p.sinks : nullptr; },
    [](Problem& p) -> Tensor* { return p.alibi_slopes ? &*p.alibi_slopes : nullptr; },
};

/// Offers the step on [from, from + count) of a tensor, where it makes values simpler.
bool try_step(Pass& pass, Access access, Step step, std::size_t from, std::size_t count) {
  Problem p = pass.current();
  Tensor& tensor = *access(p);
  bool any = false;
  const std::size_t end = std::min(from + count, tensor.bits.size());
  for (std::size_t at = from; at < end; ++at) {
    std::uint64_t& bits = tensor.bits[at];
    const std::uint64_t next = encode(tensor.format, step(decode(tensor.format, bits)));
    if (cost(tensor.format, next) >= cost(tensor.format, bits)) continue;
    bits = next;
    any = true;
  }
  return any && pass.offer(p);
}

void simplify_tensor(Pass& pass, Access access, Step step) {
  const auto size_now = [&] {
    Problem p = pass.current();
    const Tensor* tensor = access(p);
    return tensor == nullptr ? std::size_t{0} : tensor->bits.size();
  };
  const std::size_t size = size_now();
  for (std::size_t chunk = size; chunk >= 1; chunk /= 2) {
    bool all = true;
    const std::size_t stride = std::max(chunk, size / most_places);
    for (std::size_t at = 0; at < size; at += stride)
      all = try_step(pass, access, step, at, chunk) && all;
    if (chunk == size && all) return;
  }
}

void show_keys(Pass& pass) {
  if (!pass.current().mask.attend) return;
  const std::size_t size = pass.current().mask.attend->attend.size();
  for (std::size_t chunk = size; chunk >= 1; chunk /= 2) {
    const std::size_t stride = std::max(chunk, size / most_places);
    for (std::size_t at = 0; at < size; at += stride) {
      Problem p = pass.current();
      auto& attend = p.mask.attend->attend;
      const std::size_t end = std::min(at + chunk, size);
      std::fill(attend.begin() + static_cast<std::ptrdiff_t>(at),
                attend.begin() + static_cast<std::ptrdiff_t>(end), std::uint8_t{1});
      pass.offer(p);
    }
  }
}

void simplify_number(Pass& pass, Step step) {
  if (pass.current().scale) {
    Problem p = pass.current();
    p.scale = step(*p.scale);
    pass.offer(p);
  }
  if (pass.current().softcap > 0) {
    Problem p = pass.current();
    p.softcap = step(p.softcap);
    if (p.softcap > 0) pass.offer(p);
  }
}

}  // namespace

double shorter(double x, int width) {
  if (!std::isfinite(x) || !(std::fabs(x) > 0)) return x;
  const int quantum = std::ilogb(x) - (width - 1);
  return std::ldexp(std::trunc(std::ldexp(x, -quantum)), quantum);
}

void simplify_values(Pass& pass) {
  show_keys(pass);
  for (Step step : steps) {
    simplify_number(pass, step);
    for (Access access : tensors) simplify_tensor(pass, access, step);
  }
}

}  // namespace qkvet::detail
