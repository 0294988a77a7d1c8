// Owning wrappers around Arb's C types; included by the sources of the Arb oracle only, so that no
// header needs Arb.
#pragma once

#include <arb.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <qkvet/num/interval.hpp>
#include <qkvet/oracle/arb_mask.hpp>
#include <utility>

namespace qkvet {

/// A row of balls, zeros at first.
class ArbVector {
 public:
  ArbVector() = default;
  explicit ArbVector(std::int64_t size) : data_(_arb_vec_init(size)), size_(size) {}
  ~ArbVector() {
    if (data_ != nullptr) _arb_vec_clear(data_, size_);
  }
  ArbVector(ArbVector&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  ArbVector& operator=(ArbVector&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  [[nodiscard]] arb_ptr at(std::int64_t n) { return data_ + n; }
  [[nodiscard]] arb_srcptr at(std::int64_t n) const { return data_ + n; }
  [[nodiscard]] std::int64_t size() const { return size_; }

 private:
  arb_ptr data_ = nullptr;
  std::int64_t size_ = 0;
};

/// One ball.
class Arb {
 public:
  Arb() { arb_init(value_); }
  ~Arb() { arb_clear(value_); }
  Arb(Arb&& other) noexcept : Arb() { arb_swap(value_, other.value_); }
  Arb& operator=(Arb&& other) noexcept {
    arb_swap(value_, other.value_);
    return *this;
  }
  [[nodiscard]] arb_ptr get() { return value_; }
  [[nodiscard]] arb_srcptr get() const { return value_; }

 private:
  arb_t value_;
};

/// Sets `to` to the integer n, exactly.
inline void set_wide(arb_ptr to, Int128 n) {
  const bool negative = n < 0;
  if (negative) n = -n;
  Arb low;
  arb_set_ui(to, static_cast<ulong>(n >> 64));
  arb_mul_2exp_si(to, to, 64);
  arb_set_ui(low.get(), static_cast<ulong>(n & ~std::uint64_t{0}));
  arb_add(to, to, low.get(), ARF_PREC_EXACT);
  if (negative) arb_neg(to, to);
}

/// The smallest interval of doubles that encloses the ball; the whole line if it is no number.
[[nodiscard]] inline Interval outward_doubles(arb_srcptr x) {
  if (!arb_is_finite(x)) return {};
  arf_t lo, hi;
  arf_init(lo);
  arf_init(hi);
  arb_get_interval_arf(lo, hi, x, 64);
  const Interval result{arf_get_d(lo, ARF_RND_FLOOR), arf_get_d(hi, ARF_RND_CEIL)};
  arf_clear(lo);
  arf_clear(hi);
  return result;
}

}  // namespace qkvet
