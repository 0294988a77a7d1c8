// The sums of the screen: weights, outputs and LSE of a row, each against the lower part of its
// bound. docs/fuzzing.md 5.3 to 5.5
#include <algorithm>
#include <cmath>
#include <limits>

#include "fuzz/screen.hpp"

namespace qkvet::fuzz {
namespace {

constexpr double u = 0x1p-53;
constexpr double infinity = std::numeric_limits<double>::infinity();
// What first-order terms leave out on either side, as long as every exponent error of our own is
// below `first_order`: docs/fuzzing.md 5.3.
constexpr double first_order = 0x1p-16;
// A weight below e^-dead is far below what every format loses anyway: docs/fuzzing.md 5.3.
constexpr double dead = 800;
constexpr double less = 1 - 0x1p-10, more = 1 + 0x1p-10;

/// At least e^x, and at most 1 - e^-x; both for x >= 0. Short for small x.
double grown(double x) { return x <= 0x1p-10 ? 1 + x + x * x : std::exp(x); }
double shrunk(double x) { return x <= 0x1p-10 ? x - 0.5 * x * x : -std::expm1(-x); }

}  // namespace

/// Weights and our own exponent errors.
bool Screen::weights() {
  shared_ = false;
  m_ = -infinity;
  for (const Key& key : keys_) m_ = std::max(m_, key.s);
  if (!std::isfinite(m_)) return false;
  sum_ = 0;
  spread_ = 0;
  for (Key& key : keys_) {
    const double gap = m_ - key.s;
    if (gap >= dead + 2 * key.error) {
      key.w = key.error = key.least = 0;
      continue;
    }
    key.w = std::exp(-gap);
    sum_ += key.w;
    key.error += u * (gap + 8);
    key.least += l_.argument * gap;
    if (!(key.error <= first_order)) return false;
    spread_ = std::max(spread_, key.error);
  }
  for (Key& key : keys_) key.w /= sum_;
  return true;
}

/// What is left of each key's exponent error for the part C of 5.4; false if it is no number.
bool Screen::share() {
  shared_ = true;
  double all = 0;  // sum p e^least: what the numerator of the box is divided by
  for (const Key& key : keys_) all += key.w * grown(key.least);
  if (!std::isfinite(all)) return false;
  for (Key& key : keys_) {
    key.part = key.w * (less * shrunk(key.least) / all - more * key.error);
  }
  return true;
}

Screen::Columns Screen::columns(std::size_t first) const {
  Columns of;
  of.low.fill(infinity);
  of.high.fill(-infinity);
  for (const Key& key : keys_) {
    const double* v = key.v + first;
    for (std::size_t n = 0; n < block; ++n) {
      const double size = std::fabs(v[n]);
      of.o[n] += key.w * v[n];
      of.absolute[n] += key.w * size;
      of.total[n] += size;
      of.low[n] = std::min(of.low[n], v[n]);
      of.high[n] = std::max(of.high[n], v[n]);
    }
  }
  return of;
}

bool Screen::outputs(const double* got) {
  const auto d_v = static_cast<std::size_t>(problem_->shape.d_v);
  for (std::size_t first = 0; first < d_v; first += block) {
    const Columns of = columns(first);
    for (std::size_t n = 0; n < std::min(block, d_v - first); ++n) {
      if (!output(got[first + n], of, first, n)) return false;
    }
  }
  return true;
}

/// Column `n` of a block. docs/fuzzing.md 5.4
bool Screen::output(double got, const Columns& of, std::size_t first, std::size_t n) {
  const double total = of.total[n], absolute = of.absolute[n], o = of.o[n];
  // A NaN is due or may be there: docs/fuzzing.md 5.6
  if (!std::isfinite(total)) return open_column(got, first + n);
  const auto keys = static_cast<double>(keys_.size());
  const double size = std::fabs(o);
  const double lost = (l_.omega * total + (2 * keys + 2) * l_.eta) / sum_;
  const double sums =
      less * (sums_.nu * absolute + (sums_.mu + l_.divide + l_.store) * size + lost) -
      more * u * (keys + 8) * (absolute + size);
  if (!(of.low[n] - sums <= got && got <= of.high[n] + sums)) return false;
  const double off = std::fabs(got - o);
  // Nearly all end here: without C, and with the largest of our own errors for all keys.
  if (sums > 0) worst_ = std::max(worst_, off / sums);
  if (off <= sums - more * spread_ * (absolute + size)) return true;
  if (!shared_ && !share()) return false;
  double spread = 0;
  for (const Key& key : keys_) spread += key.part * std::fabs(key.v[first + n] - o);
  return off <= sums + spread;
}

/// docs/fuzzing.md 5.6: a visible NaN gives NaN; infinities alone give NaN or an infinity.
bool Screen::open_column(double got, std::size_t d) const {
  if (std::isnan(got)) return true;
  bool nan = false;
  for (const Key& key : keys_) nan = nan || std::isnan(key.v[d]);
  return !nan && std::isinf(got);
}

/// docs/fuzzing.md 5.5
bool Screen::log_sum(const Row& row, double got) const {
  const Semantics& s = contract_->semantics;
  if (has_sink(*problem_, row.h) && s.lse_sink != Semantics::LseSink::included) return false;
  if (s.lse_base == Semantics::LseBase::two) return false;
  const double lse = m_ + std::log(sum_);
  const double n = static_cast<double>(keys_.size());
  const double size = std::fabs(lse) + std::fabs(m_);
  const double ours = more * (spread_ + u * (4 * size + n + 8));
  const double rounds = 2 * l_.unit * size + l_.log + l_.store_lse * std::fabs(lse);
  const double off = std::fabs(got - lse);
  if (off <= less * rounds - ours) return true;
  double mean = 0;  // sum p l
  for (const Key& key : keys_) mean += key.w * key.least;
  const double radius = less * (std::log1p(mean) + rounds + l_.log * std::log(n)) - ours;
  return off <= radius;
}

}  // namespace qkvet::fuzz
