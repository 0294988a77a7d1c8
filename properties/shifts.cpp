#include "properties/shifts.hpp"

#include <cmath>

#include "properties/tools.hpp"

namespace qkvet {
namespace {

/// On the grid of relations.md rule 7, integer * 2^-6 with |integer| < 2^10, so that adding a power
/// of two up to 2^16 is exact in f32 and f64. Infinities and NaN stay.
void to_grid(Tensor& tensor) {
  for (std::uint64_t& bits : tensor.bits) {
    const double x = decode(tensor.format, bits);
    if (!std::isfinite(x)) continue;
    const double inside = std::fmin(std::fmax(x, -15), 15);
    bits = encode(tensor.format, std::round(inside * 64) / 64);
  }
}

void add(Tensor& tensor, double shift) {
  for (std::uint64_t& bits : tensor.bits) {
    bits = encode(tensor.format, decode(tensor.format, bits) + shift);
  }
}

bool wide(Format format) { return format == Format::binary32 || format == Format::binary64; }

}  // namespace

Problem bias_base(const Problem& problem) {
  Problem p = problem;
  if (!p.mask.bias) p.mask.bias = make_tensor(p.format, {1, 1, 1, 1});
  to_grid(*p.mask.bias);
  if (p.sinks) to_grid(*p.sinks);
  p.layouts.bias = {};
  return p;
}

Problem bias_shifted(const Problem& base, double shift) {
  Problem p = base;
  add(*p.mask.bias, shift);
  if (p.sinks) add(*p.sinks, shift);
  return p;
}

Problem channel(const Problem& problem, double q, double k) {
  Problem p = problem;
  const Shape& s = p.shape;
  const std::int64_t last = s.d_k - 1;
  for_rows(s, [&](auto b, auto h, auto i) { p.q.set(b, h, i, last, q); });
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t g = 0; g < s.H_kv; ++g)
      for (std::int64_t j = 0; j < s.S; ++j) p.k.set(b, g, j, last, k);
  p.layouts.q = p.layouts.k = {};
  return p;
}

double channel_query(const Problem& p, double wanted) {
  const double quotient = std::fabs(wanted / scale_value(p));
  const double power = std::exp2(std::round(std::log2(quotient)));
  const bool fits = power <= info(p.format).max / 4 && power >= info(p.format).mu;
  return fits ? std::copysign(power, wanted) : 0;
}

bool may_use_bias(const Problem& problem, const Contract& contract) {
  const bool capped_bias =
      problem.softcap > 0 && contract.semantics.cap_order == Semantics::CapOrder::bias_then_cap;
  const bool formats = wide(problem.mask.bias ? problem.mask.bias->format : problem.format) &&
                       (!problem.sinks || wide(problem.sinks->format));
  return !capped_bias && formats && !outside(contract.limits, bias_base(problem));
}

bool may_use_channel(const Problem& p) {
  return p.shape.d_k > 0 && !(p.softcap > 0) && !p.sinks && std::fabs(scale_value(p)) > 0;
}

}  // namespace qkvet
