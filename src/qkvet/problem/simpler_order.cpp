// The total order of complexity: shape, then features, then layout, then values, then the bits
// themselves, and last the text of the case.
#include <algorithm>
#include <bit>
#include <cmath>
#include <qkvet/problem/simpler_parts.hpp>
#include <qkvet/problem/text.hpp>
#include <tuple>

namespace qkvet {
namespace {

std::uint64_t magnitude(std::int64_t x) {
  return x < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
}

std::int64_t shape_measure(const Shape& s) {
  return s.B + s.H_q + s.H_kv + s.L + s.S + s.d_k + s.d_v;
}

int feature_count(const Problem& p) {
  const MaskSpec& mask = p.mask;
  const bool present[] = {mask.causal,
                          mask.window.has_value(),
                          mask.key_range.has_value(),
                          mask.attend.has_value(),
                          mask.bias.has_value(),
                          p.scale.has_value(),
                          p.softcap > 0,
                          p.sinks.has_value(),
                          p.alibi_slopes.has_value(),
                          p.want_lse,
                          p.call.threads != 0,
                          p.call.splits != 0};
  int count = 0;
  for (bool feature : present) count += feature ? 1 : 0;
  return count;
}

/// How much structure the present features have: kinds, sides, broadcast extents, hidden keys of
/// ranges.
std::uint64_t structure(const Problem& p) {
  const MaskSpec& mask = p.mask;
  std::uint64_t sum = static_cast<std::uint64_t>(mask.diagonal.kind) + mask.diagonal.offsets.size();
  if (mask.window) sum += (mask.window->left ? 1 : 0) + (mask.window->right ? 1 : 0);
  if (mask.attend) {
    const auto& bytes = mask.attend->attend;
    sum += bytes.size();
    sum += static_cast<std::uint64_t>(
        std::count_if(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte > 1; }));
  }
  if (mask.bias) sum += mask.bias->bits.size() + (mask.bias->format != p.format ? 1 : 0);
  if (p.sinks && p.sinks->format != p.format) ++sum;
  if (p.alibi_slopes && p.alibi_slopes->format != p.format) ++sum;
  if (mask.key_range) {
    for (std::size_t b = 0; b < mask.key_range->start.size(); ++b) {
      sum +=
          (mask.key_range->start[b] != 0 ? 1 : 0) + (mask.key_range->end[b] != p.shape.S ? 1 : 0);
    }
  }
  return sum;
}

std::uint64_t number_magnitudes(const Problem& p) {
  const MaskSpec& mask = p.mask;
  std::uint64_t sum = 0;
  for (std::int64_t offset : mask.diagonal.offsets) sum += magnitude(offset);
  if (mask.window)
    sum += magnitude(mask.window->left.value_or(0)) + magnitude(mask.window->right.value_or(0));
  return sum + magnitude(p.call.threads) + magnitude(p.call.splits);
}

std::uint64_t layout_measure(const Layouts& layouts) {
  std::uint64_t sum = 0;
  for (const Layout* layout : {&layouts.q, &layouts.k, &layouts.v, &layouts.o, &layouts.lse,
                               &layouts.attend, &layouts.bias}) {
    sum +=
        (layout->strides ? 10000 : 0) + (layout->shift != 0 ? 5000 : 0) + magnitude(layout->shift);
  }
  return sum;
}

std::uint64_t tensor_cost(const Tensor& tensor) {
  std::uint64_t sum = 0;
  for (std::uint64_t bits : tensor.bits) sum += detail::cost(tensor.format, bits);
  return sum;
}

std::uint64_t value_cost(const Problem& p) {
  std::uint64_t sum = tensor_cost(p.q) + tensor_cost(p.k) + tensor_cost(p.v);
  if (p.mask.bias) sum += tensor_cost(*p.mask.bias);
  if (p.sinks) sum += tensor_cost(*p.sinks);
  if (p.alibi_slopes) sum += tensor_cost(*p.alibi_slopes);
  if (p.scale) sum += detail::cost(Format::binary64, encode(Format::binary64, *p.scale));
  sum += detail::cost(Format::binary64, encode(Format::binary64, p.softcap));
  if (p.mask.attend) {
    for (std::uint8_t attend : p.mask.attend->attend) sum += attend != 0 ? 0 : 1;
  }
  return sum;
}

int sign_of(std::strong_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

}  // namespace

namespace detail {

std::uint64_t cost(Format format, std::uint64_t bits) {
  constexpr std::uint64_t per_bit = 4000;  // above every exponent: fewer bits first
  const std::uint64_t most = per_bit * 60;
  if (is_nan(format, bits)) {
    return most + 2 + (same_bits(bits, encode(format, std::nan(""))) ? 0 : 1);
  }
  const double x = decode(format, bits);
  const std::uint64_t negative = std::signbit(x) ? 1 : 0;
  if (std::isinf(x)) return most + negative;
  const double size = std::fabs(x);
  if (!(size > 0)) return negative * 3;  // -0 after 1 and -1
  if (size <= 16 && !(size < std::floor(size)) && !(size > std::floor(size))) {
    const auto integer = static_cast<std::uint64_t>(size);
    return integer == 1 ? 1 + negative : 2 * integer + negative;
  }
  const int exponent = std::ilogb(size);
  const auto fraction =
      std::bit_cast<std::uint64_t>(std::ldexp(size, -exponent)) & ((std::uint64_t{1} << 52) - 1);
  const auto width =
      static_cast<std::uint64_t>(fraction == 0 ? 1 : 53 - std::countr_zero(fraction));
  return 40 + per_bit * width + 2 * magnitude(exponent) + negative;
}

}  // namespace detail

int compare_complexity(const Problem& a, const Problem& b) {
  const auto key = [](const Problem& p) {
    return std::tuple(shape_measure(p.shape), feature_count(p), structure(p), number_magnitudes(p),
                      layout_measure(p.layouts), value_cost(p));
  };
  // Shapes and features decide most comparisons: ask the values only if they do not.
  const auto order = std::tuple(shape_measure(a.shape), feature_count(a)) <=>
                     std::tuple(shape_measure(b.shape), feature_count(b));
  if (order != 0) return sign_of(order);
  const auto full = key(a) <=> key(b);
  if (full != 0) return sign_of(full);
  const auto bits =
      std::tie(a.q.bits, a.k.bits, a.v.bits) <=> std::tie(b.q.bits, b.k.bits, b.v.bits);
  if (bits != 0) return sign_of(bits);
  // Which keys a mask hides, what kind of mask: only the text has all that is left.
  return sign_of(write_case(a) <=> write_case(b));
}

}  // namespace qkvet
