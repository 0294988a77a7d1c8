// What a Problem says beyond its fields: its scale as one double, its digest, and the two exact
// rewrites (fixed diagonals, explicit masks) that relations between runs start from.
#include <cmath>
#include <string>
#include <tuple>

#define XXH_INLINE_ALL
#define XXH_VECTOR 0  // scalar: short inputs, and no vector intrinsics in every build
#include <xxhash.h>

#include <qkvet/problem/problem.hpp>

namespace qkvet {
namespace {

/// Feeds fields to the hash as 64-bit words, least significant byte first: the same on every
/// machine.
class Hasher {
 public:
  Hasher() { XXH3_64bits_reset(&state_); }

  void add(std::uint64_t word) {
    for (int i = 0; i < 8; ++i) buffer_[used_++] = static_cast<unsigned char>(word >> (8 * i));
    if (used_ == sizeof buffer_) flush();
  }
  void add(std::int64_t number) { add(static_cast<std::uint64_t>(number)); }
  void add(bool flag) { add(std::uint64_t{flag}); }
  void add(Format format) { add(static_cast<std::uint64_t>(format)); }
  void add(double value) { add(encode(Format::binary64, value)); }
  void add(const Tensor& tensor) {
    add(tensor.format);
    add(tensor.extents);
    add(tensor.bits);
  }
  void add(const Layout& layout) {
    add(layout.strides);
    add(layout.shift);
  }
  void add(const KeyRange& range) {
    add(range.start);
    add(range.end);
  }
  void add(const Window& window) {
    add(window.left);
    add(window.right);
  }
  void add(const BoolMask& mask) {
    add(mask.extents);
    add(mask.attend.size());
    for (std::uint8_t value : mask.attend) add(std::uint64_t{value});
  }
  void add(const std::array<std::int64_t, 4>& numbers) {
    for (std::int64_t number : numbers) add(number);
  }
  template <class T>
  void add(const std::vector<T>& values) {
    add(std::uint64_t{values.size()});
    for (const T& value : values) add(value);
  }
  template <class T>
  void add(const std::optional<T>& value) {
    add(value.has_value());
    if (value) add(*value);
  }
  [[nodiscard]] std::uint64_t result() {
    flush();
    return XXH3_64bits_digest(&state_);
  }

 private:
  void flush() {
    XXH3_64bits_update(&state_, buffer_, used_);
    used_ = 0;
  }

  XXH3_state_t state_;
  unsigned char buffer_[1024];
  std::size_t used_ = 0;
};

/// True if 1/sqrt(d) > (2 * half_units + 1) * 2^-(k + 1), in exact integers: (2n+1)^2 d < 2^(2k+2).
bool above_midpoint(std::uint64_t half_units, int k, std::uint64_t d) {
  using Wide = unsigned __int128;
  const std::uint64_t middle = 2 * half_units + 1;
  const Wide square = Wide{middle} * middle;
  const Wide low = Wide{static_cast<std::uint64_t>(square)} * d;
  const Wide high = (square >> 64) * d + (low >> 64);
  const Wide limit = Wide{1} << (2 * k + 2 - 64);
  return high <
         limit;  // the square of an odd number times d is a power of two only if d is: then k fits
}

/// 1/sqrt(d) rounded once to nearest.
double inverse_root(std::int64_t d) {
  const double guess = 1.0 / std::sqrt(static_cast<double>(d));
  const int k = 52 - std::ilogb(guess);
  const auto units = static_cast<std::uint64_t>(std::ldexp(guess, k));
  const auto divisor = static_cast<std::uint64_t>(d);
  if (above_midpoint(units, k, divisor)) return std::ldexp(static_cast<double>(units + 1), -k);
  if (!above_midpoint(units - 1, k, divisor)) return std::ldexp(static_cast<double>(units - 1), -k);
  return guess;
}

BoolMask explicit_mask(const Problem& p) {
  const Shape& s = p.shape;
  BoolMask mask{{s.B, s.H_q, s.L, s.S}, {}};
  mask.attend.reserve(static_cast<std::size_t>(s.rows() * s.S));
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t h = 0; h < s.H_q; ++h)
      for (std::int64_t i = 0; i < s.L; ++i)
        for (std::int64_t j = 0; j < s.S; ++j)
          mask.attend.push_back(visible_without_bias(p, b, h, i, j) ? 1 : 0);
  return mask;
}

/// Adds ALiBi to the bias in binary64; false if any sum or product rounded.
bool explicit_bias(const Problem& p, Tensor& bias) {
  const Shape& s = p.shape;
  bool exact = true;
  std::size_t n = 0;
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t h = 0; h < s.H_q; ++h)
      for (std::int64_t i = 0; i < s.L; ++i)
        for (std::int64_t j = 0; j < s.S; ++j) {
          const double slope = p.alibi_slopes->value(h, 0, 0, 0);
          const auto distance = static_cast<double>(std::abs(i + diagonal_offset(p, b) - j));
          const double alibi = -(slope * distance);
          exact = exact && !(std::fma(-slope, distance, -alibi) < 0 ||
                             std::fma(-slope, distance, -alibi) > 0);
          const double given = bias_value(p, b, h, i, j);
          const double sum = given + alibi;
          if (std::isfinite(given)) {  // two-sum: the rounding error of the addition, exactly
            const double back = sum - given;
            const double error = (given - (sum - back)) + (alibi - back);
            exact = exact && !(error < 0 || error > 0) && std::isfinite(sum);
          }
          bias.bits[n++] = encode(Format::binary64, sum);
        }
  return exact;
}

}  // namespace

bool Problem::operator==(const Problem& other) const {
  const auto numbers = [](const Problem& p) {
    return std::tuple(p.scale.has_value(), encode(Format::binary64, p.scale.value_or(0)),
                      encode(Format::binary64, p.softcap));
  };
  const auto parts = [](const Problem& p) {
    return std::tie(p.shape, p.format, p.q, p.k, p.v, p.mask, p.sinks, p.alibi_slopes, p.want_lse,
                    p.layouts, p.call);
  };
  return numbers(*this) == numbers(other) && parts(*this) == parts(other);
}

double scale_value(const Problem& problem) {
  return problem.scale ? *problem.scale : inverse_root(problem.shape.d_k);
}

std::string digest(const Problem& p) {
  Hasher hasher;
  for (std::int64_t extent :
       {p.shape.B, p.shape.H_q, p.shape.H_kv, p.shape.L, p.shape.S, p.shape.d_k, p.shape.d_v}) {
    hasher.add(extent);
  }
  hasher.add(p.format);
  hasher.add(p.q);
  hasher.add(p.k);
  hasher.add(p.v);
  hasher.add(p.mask.causal);
  hasher.add(static_cast<std::uint64_t>(p.mask.diagonal.kind));
  hasher.add(p.mask.diagonal.offsets);
  hasher.add(p.mask.window);
  hasher.add(p.mask.key_range);
  hasher.add(p.mask.attend);
  hasher.add(p.mask.bias);
  hasher.add(p.scale);
  hasher.add(p.softcap);
  hasher.add(p.sinks);
  hasher.add(p.alibi_slopes);
  hasher.add(p.want_lse);
  for (const Layout* layout : {&p.layouts.q, &p.layouts.k, &p.layouts.v, &p.layouts.o,
                               &p.layouts.lse, &p.layouts.attend, &p.layouts.bias}) {
    hasher.add(*layout);
  }
  if (p.call != CallOptions{}) {  // what wants nothing keeps the digest that it had before
    hasher.add(std::int64_t{p.call.threads});
    hasher.add(std::int64_t{p.call.splits});
  }
  constexpr char digits[] = "0123456789abcdef";
  const std::uint64_t hash = hasher.result();
  std::string out(16, '0');
  for (std::size_t i = 0; i < 16; ++i) out[i] = digits[(hash >> (60 - 4 * i)) & 15];
  return out;
}

Problem fix(const Problem& problem) {
  Problem fixed = problem;
  fixed.mask.diagonal = {Diagonal::Kind::fixed, {}};
  for (std::int64_t b = 0; b < problem.shape.B; ++b) {
    fixed.mask.diagonal.offsets.push_back(diagonal_offset(problem, b));
  }
  return fixed;
}

Explicit make_explicit(const Problem& problem) {
  Explicit out{fix(problem), true};
  MaskSpec& mask = out.problem.mask;
  if (mask.causal || mask.window || mask.key_range) {
    mask.attend = explicit_mask(problem);
    out.problem.layouts.attend = {};
    mask.causal = false;
    mask.window.reset();
    mask.key_range.reset();
  }
  if (problem.alibi_slopes) {
    const Shape& s = problem.shape;
    Tensor bias = make_tensor(Format::binary64, {s.B, s.H_q, s.L, s.S});
    out.exact = explicit_bias(problem, bias);
    mask.bias = std::move(bias);
    out.problem.layouts.bias = {};
    out.problem.alibi_slopes.reset();
  }
  return out;
}

}  // namespace qkvet
